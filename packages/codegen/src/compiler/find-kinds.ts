import { pluralOf } from '@kubewright/apimachinery/internal';
import type { Memory } from '../memory.ts';
import type { Position, Problems } from '../problem.ts';
import { constantOf } from './constants.ts';
import { docsOf } from './docs-of.ts';
import type { ProjectView } from './project.ts';
import { callsOf } from './runtime-calls.ts';
import type { Docs, TypeModel } from './type-model.ts';
import { TypeReader } from './type-reader.ts';
import { ts } from './typescript.ts';

/** A column of `kubectl get`, as passed to `defineKind`. */
export interface ColumnModel {
  readonly name: string;
  readonly jsonPath: string;
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
}

/** A parsed call to `defineKind`. */
export interface KindModel {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly scope: 'Namespaced' | 'Cluster';
  readonly columns: readonly ColumnModel[];
  readonly scale?: {
    readonly specReplicasPath: string;
    readonly statusReplicasPath: string;
    readonly labelSelectorPath?: string;
  };
  readonly storage: boolean;
  readonly served: boolean;
  readonly servedBy: 'crd' | 'aggregated';
  readonly verbs?: readonly string[];
  readonly deprecated: boolean;
  readonly deprecationWarning?: string;
  readonly selectableFields: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly schema: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly spec: TypeModel;
  readonly status?: TypeModel;
  readonly docs: Docs;
  readonly at: Position;
  /** The variable declaration of the kind, to resolve references to it. */
  readonly declaration: ts.Node;
  readonly specType: ts.Type;
}

/** The parts of a {@link KindModel} that do not depend on one view of the project. */
export type ReadKind = Omit<KindModel, 'declaration' | 'specType'>;

/** Finds and reads the kinds that a project defines, ordered by file and line. */
export function findKinds(
  view: ProjectView,
  { problems, memory }: { readonly problems: Problems; readonly memory: Memory<ReadKind | undefined> },
): readonly KindModel[] {
  return callsOf(view, 'defineKind').flatMap(({ call }) => {
    const file = call.getSourceFile();
    const isAbout = { name: `${file.fileName}:${call.pos}`, state: view.stateOf(file), problems };
    const kind = memory.recall(isAbout, (found) => readKind(call, view, found));
    const [spec] = call.typeArguments ?? [];
    if (kind === undefined || spec === undefined) return [];
    return [{ ...kind, declaration: call.parent, specType: view.checker.getTypeFromTypeNode(spec) }];
  });
}

function readKind(call: ts.CallExpression, view: ProjectView, problems: Problems): ReadKind | undefined {
  const at = view.position(call);
  const definition = readDefinition(call, view, problems);
  const [spec, status] = call.typeArguments ?? [];
  if (spec === undefined) {
    const fix = 'pass the types: defineKind<MySpec, MyStatus>({ … })';
    problems.add(at, {
      code: 'KW6003',
      what: 'defineKind has no type arguments',
      why: 'the schema is generated from the type arguments',
      fix,
    });
  }
  if (definition === undefined || spec === undefined) return undefined;
  for (const name of ['group', 'version', 'kind']) {
    if (typeof definition[name] === 'string') continue;
    problems.add(at, { code: 'KW6003', what: `defineKind has no ${name}`, fix: `add ${name}: '…'` });
    return undefined;
  }
  const reader = new TypeReader(view, problems);
  const isNone = status === undefined || status.kind === ts.SyntaxKind.NeverKeyword;
  // The cast is safe: the compiler has checked the call against KindDefinition.
  const given = definition as unknown as Partial<KindModel> & Pick<KindModel, 'group' | 'version' | 'kind'>;
  return {
    plural: pluralOf(given.kind),
    singular: given.kind.toLowerCase(),
    shortNames: [],
    categories: [],
    scope: 'Namespaced',
    columns: [],
    storage: true,
    served: true,
    servedBy: 'crd',
    deprecated: given.deprecationWarning !== undefined,
    selectableFields: [],
    labels: {},
    annotations: {},
    schema: {},
    ...given,
    spec: reader.readNode(spec, 'spec'),
    ...(!isNone && { status: reader.readNode(status, 'status') }),
    docs: docsOf(call.parent, 'kind', { view, problems }),
    at,
  };
}

/** Evaluates each field of the definition separately, so that each problem is reported at its position. */
function readDefinition(
  call: ts.CallExpression,
  view: ProjectView,
  problems: Problems,
): Readonly<Record<string, unknown>> | undefined {
  const [argument] = call.arguments;
  const unknown = (node: ts.Node, what: string): undefined => {
    const why = 'manifests are generated without running the program';
    const fix = 'use a literal, or a const with a literal value';
    problems.add(view.position(node), { code: 'KW6002', what, why, fix });
    return undefined;
  };
  if (argument === undefined) return unknown(call, 'defineKind has no argument');
  const whole = constantOf(view.checker, argument)?.value;
  if (typeof whole === 'object' && whole !== null) return whole as Readonly<Record<string, unknown>>;
  if (!ts.isObjectLiteralExpression(argument))
    return unknown(argument, 'the definition of the kind cannot be determined from the code');
  for (const property of argument.properties) {
    const isKnown = ts.isPropertyAssignment(property) && constantOf(view.checker, property.initializer) !== undefined;
    if (!isKnown)
      unknown(property, `the value of ${property.name?.getText() ?? 'the spread'} cannot be determined from the code`);
  }
  return undefined;
}
