import type { JsonSchema } from '@kubewright/schema';

/** A schema under construction. */
export type Draft = { -readonly [K in keyof JsonSchema]: JsonSchema[K] } & {
  externalDocs?: { readonly url: string; readonly description?: string };
};

/** The types of values that tags distinguish: the type decides which tags are valid. */
export type ValueType = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object' | 'intOrString' | 'any';

/** Returns the type that decides which tags are valid for a schema. */
export function valueTypeOf(draft: JsonSchema): ValueType {
  if (draft['x-kubernetes-int-or-string'] === true) return 'intOrString';
  switch (draft.type) {
    case 'string':
    case 'number':
    case 'integer':
    case 'boolean':
    case 'array':
    case 'object':
      return draft.type;
    default:
      return 'any';
  }
}

/** Appends CEL rules to the schema's existing rules. */
export function addRules(draft: Draft, ...rules: NonNullable<JsonSchema['x-kubernetes-validations']>): void {
  draft['x-kubernetes-validations'] = [...(draft['x-kubernetes-validations'] ?? []), ...rules];
}
