/** The type of a tag's argument. */
export type TagArgument =
  | 'none'
  | 'number'
  | 'count'
  | 'text'
  | 'names'
  | 'json'
  | 'list'
  | 'url'
  | 'sub'
  | 'numberOrNone';

/** The JSON types that a tag can apply to. */
export type TagSubject = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object' | 'intOrString' | 'any';

/** A tag: its effect on the schema, where it is allowed, and its argument. */
export interface TagDefinition {
  readonly name: string;
  /** The schema field that it sets, or a description of its effect if it sets several. */
  readonly key: string;
  readonly argument: TagArgument;
  /** Types of values that it applies to; all if undefined. */
  readonly subjects?: readonly TagSubject[];
  /** @defaultValue fields and types */
  readonly places?: readonly ('field' | 'type' | 'kind')[];
  /** The equivalent kubebuilder markers. */
  readonly markers: readonly string[];
}

const text = ['string', 'intOrString'] as const;
const numeric = ['number', 'integer', 'intOrString'] as const;
const validation = (name: string): readonly string[] => [`kubebuilder:validation:${name}`];

/** All tags that affect the generated schema. */
export const tags: readonly TagDefinition[] = [
  // Numbers.
  {
    name: 'int32',
    key: 'type: integer, format: int32',
    argument: 'none',
    subjects: ['number', 'integer'],
    markers: [],
  },
  {
    name: 'int64',
    key: 'type: integer, format: int64',
    argument: 'none',
    subjects: ['number', 'integer'],
    markers: [],
  },
  { name: 'integer', key: 'type: integer', argument: 'none', subjects: ['number', 'integer'], markers: [] },
  { name: 'float', key: 'type: number', argument: 'none', subjects: ['number'], markers: ['allowDangerousTypes'] },
  { name: 'double', key: 'type: number, format: double', argument: 'none', subjects: ['number'], markers: [] },
  {
    name: 'minimum',
    key: 'minimum',
    argument: 'number',
    subjects: numeric,
    markers: [...validation('Minimum'), 'k8s:minimum'],
  },
  {
    name: 'maximum',
    key: 'maximum',
    argument: 'number',
    subjects: numeric,
    markers: [...validation('Maximum'), 'k8s:maximum'],
  },
  {
    name: 'exclusiveMinimum',
    key: 'exclusiveMinimum',
    argument: 'numberOrNone',
    subjects: numeric,
    markers: validation('ExclusiveMinimum'),
  },
  {
    name: 'exclusiveMaximum',
    key: 'exclusiveMaximum',
    argument: 'numberOrNone',
    subjects: numeric,
    markers: validation('ExclusiveMaximum'),
  },
  { name: 'multipleOf', key: 'multipleOf', argument: 'number', subjects: numeric, markers: validation('MultipleOf') },
  // Strings.
  { name: 'minLength', key: 'minLength', argument: 'count', subjects: text, markers: validation('MinLength') },
  {
    name: 'maxLength',
    key: 'maxLength',
    argument: 'count',
    subjects: text,
    markers: [...validation('MaxLength'), 'k8s:maxLength'],
  },
  { name: 'pattern', key: 'pattern', argument: 'text', subjects: text, markers: validation('Pattern') },
  {
    name: 'format',
    key: 'format',
    argument: 'text',
    subjects: [...text, ...numeric],
    markers: [...validation('Format'), 'k8s:format'],
  },
  { name: 'dateTime', key: 'format: date-time', argument: 'none', subjects: ['string'], markers: [] },
  { name: 'duration', key: 'format: duration', argument: 'none', subjects: ['string'], markers: [] },
  {
    name: 'quantity',
    key: 'x-kubernetes-int-or-string: true, pattern',
    argument: 'none',
    subjects: ['string', 'intOrString'],
    markers: [],
  },
  // Lists and objects.
  { name: 'minItems', key: 'minItems', argument: 'count', subjects: ['array'], markers: validation('MinItems') },
  {
    name: 'maxItems',
    key: 'maxItems',
    argument: 'count',
    subjects: ['array'],
    markers: [...validation('MaxItems'), 'k8s:maxItems'],
  },
  {
    name: 'listType',
    key: 'x-kubernetes-list-type',
    argument: 'text',
    subjects: ['array'],
    markers: ['listType', 'k8s:listType'],
  },
  {
    name: 'listMapKey',
    key: 'x-kubernetes-list-map-keys',
    argument: 'names',
    subjects: ['array'],
    markers: ['listMapKey', 'k8s:listMapKey'],
  },
  {
    name: 'minProperties',
    key: 'minProperties',
    argument: 'count',
    subjects: ['object'],
    markers: validation('MinProperties'),
  },
  {
    name: 'maxProperties',
    key: 'maxProperties',
    argument: 'count',
    subjects: ['object'],
    markers: validation('MaxProperties'),
  },
  { name: 'mapType', key: 'x-kubernetes-map-type', argument: 'text', subjects: ['object'], markers: ['mapType'] },
  { name: 'structType', key: 'x-kubernetes-map-type', argument: 'text', subjects: ['object'], markers: ['structType'] },
  // Any value.
  { name: 'enum', key: 'enum', argument: 'list', markers: [...validation('Enum'), 'k8s:enum'] },
  { name: 'default', key: 'default', argument: 'json', markers: ['kubebuilder:default', 'default'] },
  { name: 'defaultValue', key: 'default', argument: 'json', markers: [] },
  { name: 'example', key: 'example', argument: 'json', markers: ['kubebuilder:example'] },
  { name: 'title', key: 'title', argument: 'text', markers: ['kubebuilder:title'] },
  { name: 'nullable', key: 'nullable: true', argument: 'none', markers: ['nullable'] },
  { name: 'type', key: 'type', argument: 'text', markers: validation('Type') },
  {
    name: 'preserveUnknownFields',
    key: 'x-kubernetes-preserve-unknown-fields: true',
    argument: 'none',
    subjects: ['object', 'any'],
    markers: [...validation('XPreserveUnknownFields'), 'kubebuilder:pruning:PreserveUnknownFields'],
  },
  {
    name: 'embeddedResource',
    key: 'x-kubernetes-embedded-resource: true',
    argument: 'none',
    subjects: ['object', 'any'],
    markers: [...validation('XEmbeddedResource'), ...validation('EmbeddedResource')],
  },
  {
    name: 'intOrString',
    key: 'x-kubernetes-int-or-string: true',
    argument: 'none',
    subjects: ['string', 'intOrString', 'any'],
    markers: validation('XIntOrString'),
  },
  { name: 'schemaless', key: 'omits the schema of the type', argument: 'none', markers: validation('Schemaless') },
  {
    name: 'externalDocs',
    key: 'externalDocs',
    argument: 'url',
    places: ['field', 'type', 'kind'],
    markers: ['kubebuilder:externalDocs'],
  },
  {
    name: 'skipDescription',
    key: 'omits the description',
    argument: 'none',
    places: ['field', 'type', 'kind'],
    markers: ['kubebuilder:skipdescription'],
  },
  // Rules.
  {
    name: 'rule',
    key: 'x-kubernetes-validations',
    argument: 'text',
    places: ['field', 'type', 'kind'],
    markers: validation('XValidation'),
  },
  ...['message', 'messageExpression', 'reason', 'fieldPath', 'optionalOldSelf'].map(
    (name): TagDefinition => ({
      name,
      key: `${name} of the preceding rule`,
      argument: 'sub',
      places: ['field', 'type', 'kind'],
      markers: validation(`XValidation:${name}`),
    }),
  ),
  {
    name: 'immutable',
    key: 'x-kubernetes-validations',
    argument: 'none',
    places: ['field'],
    markers: ['k8s:immutable'],
  },
  ...['atMostOneOf', 'exactlyOneOf', 'atLeastOneOf'].map(
    (name): TagDefinition => ({
      name,
      key: 'x-kubernetes-validations',
      argument: 'names',
      subjects: ['object'],
      markers: validation(`${name[0]?.toUpperCase()}${name.slice(1)}`),
    }),
  ),
];

/** Tags of TSDoc that only readers of the code need, or that become part of the description. */
export const documentationTags: ReadonlySet<string> = new Set([
  'deprecated',
  'remarks',
  'see',
  'internal',
  'alpha',
  'beta',
  'experimental',
  'public',
  'privateRemarks',
  'readonly',
  'packageDocumentation',
  'inheritDoc',
  'label',
  'todo',
  'rbac',
]);

const byName: ReadonlyMap<string, TagDefinition> = new Map(tags.map((tag) => [tag.name, tag]));

/** Finds a tag by its exact name; the prefixes `items.` and `values.` refer to a list's elements and a map's values. */
export function knownTag(
  name: string,
): { readonly tag: TagDefinition; readonly steps: readonly ('items' | 'values')[] } | undefined {
  const parts = name.split('.');
  const tag = byName.get(parts.at(-1) as string); // split returns at least one part
  const steps = parts.slice(0, -1);
  if (tag === undefined || !steps.every((step): step is 'items' | 'values' => step === 'items' || step === 'values')) {
    return undefined;
  }
  return { tag, steps };
}
