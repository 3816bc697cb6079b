import type { JsonSchema } from '@kubewright/schema';

/** Returns the schema of a list's elements. */
export function itemsOf({ items }: JsonSchema): JsonSchema | undefined {
  return items === undefined || Array.isArray(items) ? undefined : (items as JsonSchema); // arrays are excluded
}

/** Returns the schema of a map's values. */
export function additionalOf({ additionalProperties }: JsonSchema): JsonSchema | undefined {
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}
