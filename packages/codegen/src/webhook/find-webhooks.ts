import type { KindRef } from '../compiler/builtin-types.ts';
import { constantOf, initializerOf, nameOf } from '../compiler/constants.ts';
import type { KindResolver } from '../compiler/kind-resolver.ts';
import type { ProjectView } from '../compiler/project.ts';
import { callsOf, type RuntimeCall } from '../compiler/runtime-calls.ts';
import { ts } from '../compiler/typescript.ts';
import type { Position, Problems } from '../problem.ts';

/** An admission webhook that a project declares, with the data for its registration. */
export interface WebhookModel {
  readonly type: 'mutating' | 'validating';
  readonly path: string;
  readonly name: string;
  readonly rules: readonly WebhookModelRule[];
  /** Fields that are copied to the registration unchanged: selectors, match conditions, policies. */
  readonly registration: Readonly<Record<string, unknown>>;
  readonly at: Position;
}

/** The requests that a webhook intercepts. */
export interface WebhookModelRule {
  readonly groups: readonly string[];
  readonly versions: readonly string[];
  readonly resources: readonly string[];
  readonly operations: readonly string[];
  readonly scope?: string;
}

interface Search {
  readonly view: ProjectView;
  readonly resolver: KindResolver;
  readonly problems: Problems;
}

/** Finds the admission webhooks that a project declares. */
export function findWebhooks(search: Search): readonly WebhookModel[] {
  return callsOf(search.view, 'validator', 'defaulter', 'admissionWebhook').flatMap((each) => {
    const found = each.name === 'admissionWebhook' ? readFree(each, search) : readOfKind(each, search);
    return found === undefined ? [] : [found];
  });
}

/** Reads `validator(Kind, rules, options)` and `defaulter(Kind, complete, options)`. */
function readOfKind({ name, call }: RuntimeCall, search: Search): WebhookModel | undefined {
  const [kindArgument, functions, options] = call.arguments;
  const kind = kindArgument && search.resolver.ofExpression(kindArgument);
  if (kind === undefined || functions === undefined) return unknown(call, search, 'the kind of the webhook');
  const isValidator = name === 'validator';
  const given = options === undefined ? {} : fieldsOf(options, search);
  if (given === undefined) return unknown(options ?? call, search, 'the options of the webhook');
  const { path, name: fullName, ...registration } = given;
  const operations = isValidator ? operationsOf(functions, search.view) : ['CREATE', 'UPDATE'];
  return {
    type: isValidator ? 'validating' : 'mutating',
    path: typeof path === 'string' ? path : pathOf(isValidator ? 'validate' : 'mutate', kind),
    name: typeof fullName === 'string' ? fullName : defaultName(isValidator, kind),
    rules: [{ groups: [kind.group], versions: [kind.version], resources: [kind.plural], operations }],
    registration,
    at: search.view.position(call),
  };
}

/** Reads `admissionWebhook({ type, path, rules, … })`. */
function readFree({ call }: RuntimeCall, search: Search): WebhookModel | undefined {
  const [options] = call.arguments;
  const given = options && fieldsOf(options, search);
  if (given === undefined) return unknown(call, search, 'the options of the webhook');
  const { type, path, rules, name, ...registration } = given;
  if ((type !== 'mutating' && type !== 'validating') || typeof path !== 'string') {
    return unknown(call, search, 'the options of the webhook');
  }
  // A webhook without rules is not part of the generated configurations. The program can register it itself.
  if (!Array.isArray(rules) || rules.length === 0) return undefined;
  const plain = { kind: path.replace(/\W+/g, '-').replace(/^-|-$/g, ''), version: 'v1' };
  return {
    type,
    path,
    name: typeof name === 'string' ? name : defaultName(type === 'validating', plain),
    rules: rules as readonly WebhookModelRule[], // the cast is safe: the compiler has checked the call
    registration,
    at: search.view.position(call),
  };
}

function unknown(node: ts.Node, { view, problems }: Search, what: string): undefined {
  problems.add(view.position(node), {
    code: 'KW6401',
    severity: 'warning',
    what: `${what} cannot be determined from the code`,
    why: 'the webhook is missing from config/webhook/manifests.yaml',
    fix: 'pass the kind as its constant, and the options as literals',
  });
  return undefined;
}

/** Returns the fields of an object literal, except functions. Returns undefined if a field is not constant. */
function fieldsOf(expression: ts.Expression, { view }: Search): Readonly<Record<string, unknown>> | undefined {
  let object = ts.isIdentifier(expression) ? initializerOf(view.checker, expression) : expression;
  while (object !== undefined && (ts.isAsExpression(object) || ts.isSatisfiesExpression(object)))
    object = object.expression;
  if (object === undefined || !ts.isObjectLiteralExpression(object)) return undefined;
  const fields = new Map<string, unknown>();
  for (const property of object.properties) {
    const name = property.name && nameOf(property.name);
    if (ts.isMethodDeclaration(property) || name === 'handle') continue;
    if (name === undefined || (!ts.isPropertyAssignment(property) && !ts.isShorthandPropertyAssignment(property))) {
      return undefined;
    }
    const value = constantOf(view.checker, ts.isPropertyAssignment(property) ? property.initializer : property.name);
    if (value === undefined) return undefined;
    fields.set(name, value.value);
  }
  return Object.fromEntries(fields);
}

function operationsOf(rules: ts.Expression, view: ProjectView): readonly string[] {
  const names = new Set(
    view.checker
      .getTypeAtLocation(rules)
      .getProperties()
      .map(({ name }) => name),
  );
  return ['create', 'update', 'delete'].filter((name) => names.has(name)).map((name) => name.toUpperCase());
}

/** Returns the webhook's default path, which is the same as in the runtime library. */
function pathOf(prefix: string, { group, version, kind }: KindRef): string {
  return `/${prefix}-${group.replaceAll('.', '-')}-${version}-${kind.toLowerCase()}`;
}

/** Returns the webhook's default name, which is the same as kubebuilder's. */
function defaultName(isValidating: boolean, { kind, version }: Pick<KindRef, 'kind' | 'version'>): string {
  return `${isValidating ? 'v' : 'm'}${kind.toLowerCase()}-${version}.kb.io`;
}
