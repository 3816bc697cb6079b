import { sameJson } from '@kubewright/apimachinery/internal';
import { checkOpenApi } from './check-openapi.ts';
import { checkStructuralInvariants } from './check-structural.ts';
import { checkEmbeddedResources } from './embedded-resource.ts';
import { type FieldProblem, invalid } from './field-problem.ts';
import { additionalOf, itemsOf, type JsonSchema } from './json-schema.ts';
import { prune } from './prune.ts';
import type { Findings } from './validator/findings.ts';
import type { CompilePattern } from './validator/strings.ts';
import { compileValidator } from './validator/validator.ts';

/** The schema's location, and the compiler for its patterns. */
export interface StructuralCheckOptions {
  /**
   * Path of the schema in the CRD: `spec.validation.openAPIV3Schema` if all versions share one schema, otherwise
   * `spec.versions[0].schema.openAPIV3Schema`.
   */
  readonly path: string;
  readonly compilePattern: CompilePattern;
}

/**
 * Returns all problems that make the API server reject a CRD's schema (1.36), except errors in the expressions of CEL
 * rules. Reports non-structural schemas, invalid defaults, contradictory keywords, and invalid list types. Empty for a
 * valid schema.
 *
 * @example
 * ```ts
 * const patterns = new PatternCache();
 * const problems = checkStructural(
 *   { type: 'object', properties: { replicas: { type: 'integer', default: 'one' } } },
 *   { path: 'spec.validation.openAPIV3Schema', compilePattern: (source) => patterns.get(source) },
 * );
 * console.error(problems.map(problemText).join('\n'));
 * ```
 */
export function checkStructural(schema: JsonSchema, options: StructuralCheckOptions): readonly FieldProblem[] {
  const problems = isReadable(schema) ? checkStructuralInvariants(schema, options) : [];
  if (problems.length === 0) checkDefaults(schema, options, problems);
  problems.push(...checkOpenApi(schema, options.path));
  return problems;
}

/**
 * True unless an `items` keyword contains a list of schemas. Upstream cannot decode that form, so the check reports no
 * other problem.
 */
function isReadable(schema: JsonSchema): boolean {
  if (Array.isArray(schema.items)) return false;
  const nested = [itemsOf(schema), additionalOf(schema), schema.not, ...Object.values(schema.properties ?? {})];
  for (const list of [schema.allOf, schema.anyOf, schema.oneOf]) nested.push(...(list ?? []));
  return nested.every((below) => below === undefined || isReadable(below));
}

function checkDefaults(schema: JsonSchema, options: StructuralCheckOptions, problems: FieldProblem[]): void {
  const { path, compilePattern } = options;
  if (schema.default !== undefined && schema.default !== null) {
    const field = `${path}.default`;
    const isResourceRoot = schema['x-kubernetes-embedded-resource'] === true;
    if (!sameJson(prune(schema, schema.default, { isResourceRoot }).value, schema.default)) {
      problems.push(invalid(field, schema.default, 'must not have unknown fields'));
    }
    const at: Findings = { problems: [], matches: 0 };
    compileValidator(schema, compilePattern)(schema.default, '', at, undefined);
    checkEmbeddedResources(schema)?.(schema.default, '', at.problems);
    for (const problem of at.problems) {
      problems.push({ ...problem, field: problem.field === '<nil>' ? field : `${field}.${problem.field}` });
    }
  }
  const items = itemsOf(schema);
  if (items !== undefined) checkDefaults(items, { path: `${path}.items`, compilePattern }, problems);
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    checkDefaults(property, { path: `${path}.properties[${name}]`, compilePattern }, problems);
  }
}
