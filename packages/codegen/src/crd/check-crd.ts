import {
  builtinSchema,
  type CelEnvironment,
  checkStructural,
  compileRules,
  compileStructuralSchema,
  type JsonSchema,
  kubernetesEnvironment,
  PatternCache,
  rulesOf,
  type Unlimited,
} from '@kubewright/schema';
import type { KindModel } from '../compiler/find-kinds.ts';
import { ObjectMemory } from '../memory.ts';
import type { Position, Problem, Problems } from '../problem.ts';
import { additionalOf, itemsOf } from '../types/children.ts';
import type { BuiltCrd } from './build-crds.ts';

/** `kubectl apply` keeps a copy in an annotation, whose limit is 256 KiB; storage takes about 1 MiB. */
const WARN_BYTES = 200_000;
const FAIL_BYTES = 900_000;

/**
 * Checks CRDs as the API server will (1.36): whether their schemas are structural, their defaults good, their rules compile
 * and are cheap enough, and whether they are small enough. Problems are reported at the code that they come from.
 */
export class CrdChecker {
  readonly #checked = new ObjectMemory<JsonSchema, void>();
  readonly #tools: Tools;

  constructor() {
    const patterns = new PatternCache();
    this.#tools = { patterns, environment: kubernetesEnvironment({ patterns }) };
  }

  check(built: BuiltCrd, problems: Problems): void {
    built.crd.spec.versions.forEach((version, index) => {
      const schema = version.schema?.openAPIV3Schema;
      const kind = built.kinds[index];
      if (schema === undefined || kind === undefined) return;
      const positions = built.positions[index] ?? new Map<string, Position>();
      this.#checked.recall(schema, problems, (found) => {
        checkSchema(schema, { kind, positions, problems: found }, this.#tools);
        checkPaths(schema, { kind, problems: found });
      });
    });
    checkSize(built, problems);
  }
}

interface Tools {
  readonly patterns: PatternCache;
  readonly environment: CelEnvironment;
}

interface Checked {
  readonly kind: KindModel;
  readonly positions: ReadonlyMap<string, Position>;
  readonly problems: Problems;
}

function checkSchema(
  schema: JsonSchema,
  { kind, positions, problems }: Checked,
  { patterns, environment }: Tools,
): void {
  const compilePattern = (pattern: string): ReturnType<PatternCache['get']> => patterns.get(pattern);
  const faults = checkStructural(schema, { path: '', compilePattern });
  for (const { field, message } of faults) {
    const at = placeOf(field, positions) ?? kind.at;
    const fix = 'correct the tags of this field';
    // The API server names the field there, which has no name of its own here.
    const what = message.replace(/: {2}in body /, ': it ');
    problems.add(at, { code: 'KW6301', ...typePath(field), what, why: 'the API server would refuse it', fix });
  }
  if (faults.length > 0) return;
  const objectMeta = builtinSchema('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta');
  const { node } = compileStructuralSchema(schema, { compilePattern, ...(objectMeta && { objectMeta }) });
  const rules = compileRules(node, rulesOf(schema), { environment, schemaPath: '', costs: { schema } });
  // Where single rules cost too much, all of them together do as well: that says nothing more.
  const hasCostly = rules.problems.some(({ message }) => /^Forbidden: estimated .* exceeds budget/.test(message));
  const isSum = (message: string): boolean => /^Forbidden: (?:contributed|x-kubernetes-validations)/.test(message);
  for (const { field, message, unlimited } of rules.problems) {
    if (hasCostly && isSum(message)) continue;
    const at = placeOf(field, positions) ?? kind.at;
    if (unlimited !== undefined) {
      problems.add(at, { code: 'KW6304', ...typePath(field), ...tooCostly(message, unlimited) });
      continue;
    }
    const what = message.replace(/^Invalid value: \{.*?\}: /s, '');
    const fix = 'correct the CEL expression: self is the value that the tag stands on';
    problems.add(at, { code: 'KW6302', ...typePath(field), what, why: 'the API server would refuse it', fix });
  }
}

/** The API server's words end with advice in general; here the fields are known. */
function tooCostly(message: string, unlimited: readonly Unlimited[]): Pick<Problem, 'what' | 'why' | 'fix'> {
  const limits = unlimited.map(({ path, keyword }) => `@${keyword} to ${path === '' ? 'the object' : path}`);
  return {
    what: message.replace(/^Forbidden: /, '').replace(/ \(try .*\)$/, ''),
    why: 'the API server refuses rules that values within the limits of the schema could make slow',
    fix:
      limits.length === 0
        ? 'lower the limits of what the rule looks at (@maxItems, @maxLength, @maxProperties), or simplify the rule'
        : `add ${limits.join(', ')}, or simplify the rule`,
  };
}

/** The nearest place above a path of the schema. */
function placeOf(field: string, positions: ReadonlyMap<string, Position>): Position | undefined {
  for (let path = field; ; path = path.slice(0, Math.max(path.lastIndexOf('.'), 0))) {
    const found = positions.get(path);
    if (found !== undefined || path === '') return found;
  }
}

/** `.properties[spec].properties[users].items.default` → `spec.users[]`. */
function typePath(field: string): { readonly path?: string } {
  const steps = [...field.matchAll(/\.properties\[([^\]]*)\]|\.items\b|\.additionalProperties\b/g)];
  const path = steps
    .map(([step, name]) => (name !== undefined ? `.${name}` : step === '.items' ? '[]' : '{}'))
    .join('')
    .replace(/^\./, '');
  return path === '' ? {} : { path };
}

/** Columns and subresources that name fields which are not there show nothing, silently. */
function checkPaths(schema: JsonSchema, { kind, problems }: Pick<Checked, 'kind' | 'problems'>): void {
  const { scale } = kind;
  const named: readonly (readonly [string, string | undefined])[] = [
    ...kind.columns.map(({ name, jsonPath }) => [`the column ${name}`, jsonPath] as const),
    ...kind.selectableFields.map((path) => ['selectableFields', path] as const),
    ['scale.specReplicasPath', scale?.specReplicasPath],
    ['scale.statusReplicasPath', scale?.statusReplicasPath],
    ['scale.labelSelectorPath', scale?.labelSelectorPath],
  ];
  for (const [what, path] of named) {
    if (path === undefined || path.startsWith('.metadata') || leadsSomewhere(schema, path)) continue;
    problems.add(kind.at, {
      code: 'KW6205',
      path: path.replace(/^\./, ''),
      what: `${what} names ${path}, and there is no such field`,
      fix: 'write the path of a field: .status.phase',
    });
  }
}

/** Follows plain steps; from the first filter, wildcard or open value on anything may be there. */
function leadsSomewhere(schema: JsonSchema, path: string): boolean {
  if (!path.startsWith('.')) return false;
  let at: JsonSchema | undefined = schema;
  for (const [step, name, , bracket] of path.matchAll(/\.([\w-]+)|(\[([^\]]*)\])|./g)) {
    if (at === undefined) return false;
    if (at['x-kubernetes-preserve-unknown-fields'] === true && at.properties === undefined) return true;
    if (name !== undefined) at = at.properties?.[name] ?? additionalOf(at);
    else if (bracket !== undefined && itemsOf(at) !== undefined) at = itemsOf(at);
    else return step !== undefined;
  }
  return at !== undefined;
}

function checkSize({ crd, kinds }: BuiltCrd, problems: Problems): void {
  const bytes = Buffer.byteLength(JSON.stringify(crd));
  if (bytes <= WARN_BYTES) return;
  const isTooLarge = bytes > FAIL_BYTES;
  problems.add(kinds[0]?.at ?? { file: '', line: 1, column: 1 }, {
    code: 'KW6303',
    severity: isTooLarge ? 'error' : 'warning',
    what: `the CRD of ${crd.spec.names.kind} has ${Math.round(bytes / 1000)} kB`,
    why: isTooLarge
      ? 'the API server stores at most about 1 MB'
      : 'kubectl apply without --server-side refuses more than 262 kB',
    fix: 'embed fewer types of Kubernetes: take the few fields that you need, or unknown with @preserveUnknownFields',
  });
}
