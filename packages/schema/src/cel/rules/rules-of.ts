import type { JsonSchema } from '../../structural/json-schema.ts';
import type { RulesAt, SchemaStep } from './rule.ts';

const maxDepth = 500;

/**
 * Collects the rules of all nodes of a CRD's schema, including rules in `allOf`.
 *
 * @example
 * ```ts
 * const schema: JsonSchema = {
 *   type: 'object',
 *   properties: { max: { type: 'integer' } },
 *   'x-kubernetes-validations': [{ rule: 'self.max < 10', message: 'max must be less than 10' }],
 * };
 * const [{ path, rules } = { path: [], rules: [] }] = rulesOf(schema);
 * ```
 */
export function rulesOf(schema: JsonSchema): readonly RulesAt[] {
  const found: RulesAt[] = [];
  collect(schema, [], { found, allOf: false });
  return found;
}

function collect(
  schema: JsonSchema,
  path: readonly SchemaStep[],
  how: { readonly found: RulesAt[]; readonly allOf: boolean },
): void {
  if (path.length > maxDepth) return;
  const rules = schema['x-kubernetes-validations'] ?? [];
  if (rules.length > 0) how.found.push(how.allOf ? { path, rules, allOf: true } : { path, rules });
  for (const [property, child] of Object.entries(schema.properties ?? {})) collect(child, [...path, { property }], how);
  const { items, additionalProperties } = schema;
  if (isSchema(items)) collect(items, [...path, 'items'], how);
  if (isSchema(additionalProperties)) collect(additionalProperties, [...path, 'values'], how);
  for (const nested of schema.allOf ?? []) collect(nested, path, { ...how, allOf: true });
}

function isSchema(value: JsonSchema | readonly JsonSchema[] | boolean | undefined): value is JsonSchema {
  return typeof value === 'object' && !Array.isArray(value);
}
