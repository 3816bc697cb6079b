/**
 * A CRD's `JSONSchemaProps` (apiextensions/v1), as in `spec.versions[].schema.openAPIV3Schema`.
 *
 * @example
 * ```ts
 * const schema: JsonSchema = {
 *   type: 'object',
 *   required: ['spec'],
 *   properties: { spec: { type: 'object', properties: { replicas: { type: 'integer', minimum: 0, default: 1 } } } },
 * };
 * ```
 */
export interface JsonSchema {
  readonly type?: string;
  readonly format?: string;
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly example?: unknown;
  readonly nullable?: boolean;
  readonly enum?: readonly unknown[];
  readonly maximum?: number;
  readonly exclusiveMaximum?: boolean;
  readonly minimum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly multipleOf?: number;
  readonly maxLength?: number;
  readonly minLength?: number;
  readonly pattern?: string;
  readonly maxItems?: number;
  readonly minItems?: number;
  readonly uniqueItems?: boolean;
  readonly maxProperties?: number;
  readonly minProperties?: number;
  readonly required?: readonly string[];
  /** The API server rejects CRDs in which `items` is a list of schemas. */
  readonly items?: JsonSchema | readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly allOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly not?: JsonSchema;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: string;
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[];
  // The API server rejects CRDs that use any of the following keywords, which are declared only for that check.
  readonly id?: string;
  readonly $ref?: string;
  readonly additionalItems?: unknown;
  readonly patternProperties?: Readonly<Record<string, unknown>>;
  readonly definitions?: Readonly<Record<string, unknown>>;
  readonly dependencies?: Readonly<Record<string, unknown>>;
}

/**
 * One CEL rule of a schema (`x-kubernetes-validations`).
 *
 * @example
 * ```ts
 * const ordered: ValidationRule = { rule: 'self.min <= self.max', message: 'min must not exceed max', fieldPath: '.min' };
 * const properties = { min: { type: 'integer' }, max: { type: 'integer' } };
 * const schema: JsonSchema = { type: 'object', required: ['min', 'max'], properties, 'x-kubernetes-validations': [ordered] };
 * ```
 */
export interface ValidationRule {
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
}

/** Returns the schema of a list's elements; undefined if `items` is absent or a list of schemas. */
export function itemsOf(schema: JsonSchema): JsonSchema | undefined {
  const { items } = schema;
  return items === undefined || Array.isArray(items) ? undefined : (items as JsonSchema);
}

/** Returns the schema of a map's values; undefined if `additionalProperties` is absent or a boolean. */
export function additionalOf(schema: JsonSchema): JsonSchema | undefined {
  const { additionalProperties } = schema;
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}
