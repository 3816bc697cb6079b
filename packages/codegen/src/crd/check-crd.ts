import {
  type CelEnvironment,
  checkStructural,
  compileRules,
  compileStructuralSchema,
  type JsonSchema,
  kubernetesEnvironment,
  PatternCache,
  rulesOf,
} from '@kubewright/schema';
import { builtinSchema } from '@kubewright/schema/internal';
import type { KindModel } from '../compiler/find-kinds.ts';
import { ObjectMemory } from '../memory.ts';
import type { Position, Problem, Problems } from '../problem.ts';
import { additionalOf, itemsOf } from '../types/children.ts';
import type { BuiltCrd } from './build-crds.ts';

/** `kubectl apply` stores a copy in an annotation, limited to 256 KiB; storage accepts about 1 MiB. */
const warnBytes = 200_000;
const failBytes = 900_000;

/**
 * Validates CRDs like the API server (1.36): schemas are structural, defaults are valid, rules compile and are cheap enough,
 * and the size is within limits. Problems are reported at their position in the code.
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
    const fix = 'change the tags or the type of this field';
    // The API server's message contains the field's path before "in body", but this check has an empty path.
    const what = message.replace(/: {2}in body /, ': it ');
    problems.add(at, { code: 'KW6301', ...typePath(field), what, why: 'the API server would reject the CRD', fix });
  }
  if (faults.length > 0) return;
  const objectMeta = builtinSchema('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta');
  const { node } = compileStructuralSchema(schema, { compilePattern, objectMeta });
  const rules = compileRules(node, rulesOf(schema), { environment, schemaPath: '', costs: { schema } });
  // Does not report the total cost if a single rule already exceeds its own limit.
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
    const fix = 'change the CEL expression: self is the value that has the tag';
    problems.add(at, { code: 'KW6302', ...typePath(field), what, why: 'the API server would reject the CRD', fix });
  }
}

/** Replaces the general advice in the API server's message with the fields that need a limit. */
function tooCostly(
  message: string,
  unlimited: readonly { readonly path: string; readonly keyword: string }[],
): Pick<Problem, 'what' | 'why' | 'fix'> {
  const limits = unlimited.map(({ path, keyword }) => `@${keyword} to ${path === '' ? 'the object' : path}`);
  return {
    what: message.replace(/^Forbidden: /, '').replace(/ \(try .*\)$/, ''),
    why: 'the API server rejects rules that could be slow for values that the schema allows',
    fix:
      limits.length === 0
        ? 'lower the limits of the values that the rule reads (@maxItems, @maxLength, @maxProperties), or simplify the rule'
        : `add ${limits.join(', ')}, or simplify the rule`,
  };
}

/** Returns the position of the nearest ancestor of a schema path. */
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

/** Reports columns and subresources that refer to missing fields. The API server would accept them but leave them empty. */
function checkPaths(schema: JsonSchema, { kind, problems }: Pick<Checked, 'kind' | 'problems'>): void {
  const { scale } = kind;
  const named: readonly (readonly [string, string | undefined])[] = [
    ...kind.columns.map(({ name, jsonPath }) => [`column ${name}`, jsonPath] as const),
    ...kind.selectableFields.map((path) => ['selectableFields', path] as const),
    ['scale.specReplicasPath', scale?.specReplicasPath],
    ['scale.statusReplicasPath', scale?.statusReplicasPath],
    ['scale.labelSelectorPath', scale?.labelSelectorPath],
  ];
  for (const [what, path] of named) {
    if (path === undefined || path.startsWith('.metadata') || mayExist(schema, path)) continue;
    problems.add(kind.at, {
      code: 'KW6205',
      path: path.replace(/^\./, ''),
      what: `${what} refers to ${path}, which does not exist`,
      fix: 'use the path of an existing field',
    });
  }
}

/**
 * True if the schema can contain the field at a path. Checks simple steps only: after a filter, a wildcard or a value
 * without a schema, any path is accepted.
 */
function mayExist(schema: JsonSchema, path: string): boolean {
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
  if (bytes <= warnBytes) return;
  const isTooLarge = bytes > failBytes;
  problems.add(kinds[0]?.at ?? { file: '', line: 1, column: 1 }, {
    code: 'KW6303',
    severity: isTooLarge ? 'error' : 'warning',
    what: `the CRD of ${crd.spec.names.kind} is ${isTooLarge ? 'too ' : ''}large: ${Math.round(bytes / 1000)} kB`,
    why: isTooLarge
      ? 'the API server stores at most about 1 MB'
      : 'kubectl apply without --server-side rejects more than 262 kB',
    fix: 'embed fewer Kubernetes types: declare only the fields that you need, or use unknown with the tag @preserveUnknownFields',
  });
}
