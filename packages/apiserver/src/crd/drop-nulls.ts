import type { JsonSchema } from '@kubewright/schema';

/**
 * Removes nulls, in place, from fields that are not nullable and have no default. Go programs write null for empty
 * fields (`PruneNonNullableNullsWithoutDefaults` of apiextensions-apiserver, 1.36).
 */
export function dropNulls(schema: JsonSchema, value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  const { items, properties = {}, additionalProperties } = schema;
  if (Array.isArray(value)) {
    if (isSchema(items)) for (const item of value) dropNulls(items, item);
    return;
  }
  const others = isSchema(additionalProperties) ? additionalProperties : undefined;
  const fields = value as Record<string, unknown>;
  for (const name of Object.keys(fields)) {
    const field = Object.hasOwn(properties, name) ? properties[name] : others;
    if (field === undefined) continue;
    if (fields[name] !== null) dropNulls(field, fields[name]);
    else if (field.nullable !== true && (field.default === undefined || field.default === null)) delete fields[name];
  }
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
