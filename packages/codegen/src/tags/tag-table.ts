import { intOrString, quantity } from '../types/known-schemas.ts';
import { addMapKeys, count, exclusive, keyword, link, number, oneOf, removeSchema, set, text } from './effects.ts';
import { readList, readValue } from './read-argument.ts';
import { addRule, countFields, extendRule, makeImmutable } from './rule-effects.ts';
import type { TagDefinition, TagEffect } from './tag.ts';

const textual = ['string', 'intOrString'] as const;
const numeric = ['number', 'integer', 'intOrString'] as const;
const validation = (name: string): readonly string[] => [`kubebuilder:validation:${name}`];

const everywhere = ['field', 'type', 'kind'] as const;
const preserve = 'x-kubernetes-preserve-unknown-fields';

/** Parses the argument as a value of the field's type. Strings need no quotes. */
const value: (key: string) => TagEffect = (key) => keyword(key, (use) => readValue(use.text, use.valueType));

/**
 * All tags that affect the generated schema. To add a tag, add an entry here: parsing, the check of its location,
 * suggestions for misspelled tags and docs/reference/markers.md are derived from this table.
 */
export const tags: readonly TagDefinition[] = [
  // Numbers.
  {
    name: 'int32',
    key: 'type: integer, format: int32',
    argument: 'none',
    on: ['number', 'integer'],
    markers: [],
    setsType: true,
    setsNumberType: true,
    apply: set({ type: 'integer', format: 'int32' }),
  },
  {
    name: 'int64',
    key: 'type: integer, format: int64',
    argument: 'none',
    on: ['number', 'integer'],
    markers: [],
    family: 'form',
    setsType: true,
    setsNumberType: true,
    apply: set({ type: 'integer', format: 'int64' }),
  },
  {
    name: 'integer',
    key: 'type: integer',
    argument: 'none',
    on: ['number', 'integer'],
    markers: [],
    setsType: true,
    setsNumberType: true,
    apply: set({ type: 'integer' }),
  },
  {
    name: 'float',
    key: 'type: number',
    argument: 'none',
    on: ['number'],
    markers: ['allowDangerousTypes'],
    setsType: true,
    setsNumberType: true,
    apply: set({ type: 'number' }),
  },
  {
    name: 'double',
    key: 'type: number, format: double',
    argument: 'none',
    on: ['number'],
    markers: [],
    setsType: true,
    setsNumberType: true,
    apply: set({ type: 'number', format: 'double' }),
  },
  {
    name: 'minimum',
    key: 'minimum',
    argument: 'number',
    on: numeric,
    markers: [...validation('Minimum'), 'k8s:minimum'],
    family: 'least',
    apply: keyword('minimum', number),
  },
  {
    name: 'maximum',
    key: 'maximum',
    argument: 'number',
    on: numeric,
    markers: [...validation('Maximum'), 'k8s:maximum'],
    family: 'most',
    apply: keyword('maximum', number),
  },
  {
    name: 'exclusiveMinimum',
    key: 'exclusiveMinimum',
    argument: 'numberOrNone',
    on: numeric,
    markers: validation('ExclusiveMinimum'),
    apply: exclusive('minimum'),
  },
  {
    name: 'exclusiveMaximum',
    key: 'exclusiveMaximum',
    argument: 'numberOrNone',
    on: numeric,
    markers: validation('ExclusiveMaximum'),
    apply: exclusive('maximum'),
  },
  {
    name: 'multipleOf',
    key: 'multipleOf',
    argument: 'number',
    on: numeric,
    markers: validation('MultipleOf'),
    apply: keyword('multipleOf', number),
  },
  // Strings.
  {
    name: 'minLength',
    key: 'minLength',
    argument: 'count',
    on: textual,
    markers: validation('MinLength'),
    family: 'least',
    apply: keyword('minLength', count),
  },
  {
    name: 'maxLength',
    key: 'maxLength',
    argument: 'count',
    on: textual,
    markers: [...validation('MaxLength'), 'k8s:maxLength'],
    family: 'most',
    apply: keyword('maxLength', count),
  },
  {
    name: 'pattern',
    key: 'pattern',
    argument: 'text',
    on: textual,
    markers: validation('Pattern'),
    apply: keyword('pattern', text),
  },
  {
    name: 'format',
    key: 'format',
    argument: 'text',
    on: ['string', ...numeric],
    markers: [...validation('Format'), 'k8s:format'],
    apply: keyword('format', text),
  },
  {
    name: 'dateTime',
    key: 'format: date-time',
    argument: 'none',
    on: ['string'],
    markers: [],
    family: 'form',
    apply: set({ format: 'date-time' }),
  },
  {
    name: 'duration',
    key: 'format: duration',
    argument: 'none',
    on: ['string'],
    markers: [],
    apply: set({ format: 'duration' }),
  },
  {
    name: 'quantity',
    key: 'x-kubernetes-int-or-string: true, pattern',
    argument: 'none',
    on: textual,
    markers: [],
    setsType: true,
    apply: (draft) => {
      delete draft.type;
      Object.assign(draft, quantity);
    },
  },
  // Lists and objects.
  {
    name: 'minItems',
    key: 'minItems',
    argument: 'count',
    on: ['array'],
    markers: validation('MinItems'),
    family: 'least',
    apply: keyword('minItems', count),
  },
  {
    name: 'maxItems',
    key: 'maxItems',
    argument: 'count',
    on: ['array'],
    markers: [...validation('MaxItems'), 'k8s:maxItems'],
    family: 'most',
    apply: keyword('maxItems', count),
  },
  {
    name: 'listType',
    key: 'x-kubernetes-list-type',
    argument: 'text',
    on: ['array'],
    markers: ['listType', 'k8s:listType'],
    family: 'collection',
    apply: keyword('x-kubernetes-list-type', oneOf('atomic', 'set', 'map')),
  },
  {
    name: 'listMapKey',
    key: 'x-kubernetes-list-map-keys',
    argument: 'names',
    on: ['array'],
    markers: ['listMapKey', 'k8s:listMapKey'],
    apply: addMapKeys,
  },
  {
    name: 'minProperties',
    key: 'minProperties',
    argument: 'count',
    on: ['object'],
    markers: validation('MinProperties'),
    family: 'least',
    apply: keyword('minProperties', count),
  },
  {
    name: 'maxProperties',
    key: 'maxProperties',
    argument: 'count',
    on: ['object'],
    markers: validation('MaxProperties'),
    family: 'most',
    apply: keyword('maxProperties', count),
  },
  {
    name: 'mapType',
    key: 'x-kubernetes-map-type',
    argument: 'text',
    on: ['object'],
    markers: ['mapType'],
    family: 'collection',
    apply: keyword('x-kubernetes-map-type', oneOf('atomic', 'granular')),
  },
  {
    name: 'structType',
    key: 'x-kubernetes-map-type',
    argument: 'text',
    on: ['object'],
    markers: ['structType'],
    apply: keyword('x-kubernetes-map-type', oneOf('atomic', 'granular')),
  },
  // Any value.
  {
    name: 'enum',
    key: 'enum',
    argument: 'list',
    markers: [...validation('Enum'), 'k8s:enum'],
    apply: keyword('enum', (use) => readList(use.text, use.valueType)),
  },
  {
    name: 'default',
    key: 'default',
    argument: 'json',
    markers: ['kubebuilder:default', 'default'],
    apply: value('default'),
  },
  { name: 'defaultValue', key: 'default', argument: 'json', markers: [], apply: value('default') },
  { name: 'example', key: 'example', argument: 'json', markers: ['kubebuilder:example'], apply: value('example') },
  { name: 'title', key: 'title', argument: 'text', markers: ['kubebuilder:title'], apply: keyword('title', text) },
  { name: 'nullable', key: 'nullable: true', argument: 'none', markers: ['nullable'], apply: set({ nullable: true }) },
  {
    name: 'type',
    key: 'type',
    argument: 'text',
    markers: validation('Type'),
    setsType: true,
    setsNumberType: true,
    apply: (draft, use) => {
      draft.type = use.text; // Only objects can have unknown fields.
      if (use.text !== 'object') delete draft[preserve];
    },
  },
  {
    name: 'preserveUnknownFields',
    key: 'x-kubernetes-preserve-unknown-fields: true',
    argument: 'none',
    on: ['object', 'any'],
    markers: [...validation('XPreserveUnknownFields'), 'kubebuilder:pruning:PreserveUnknownFields'],
    setsType: true,
    apply: set({ [preserve]: true }),
  },
  {
    name: 'embeddedResource',
    key: 'x-kubernetes-embedded-resource: true',
    argument: 'none',
    on: ['object', 'any'],
    markers: [...validation('XEmbeddedResource'), ...validation('EmbeddedResource')],
    setsType: true,
    apply: set({ type: 'object', 'x-kubernetes-embedded-resource': true }),
  },
  {
    name: 'intOrString',
    key: 'x-kubernetes-int-or-string: true',
    argument: 'none',
    on: ['string', 'intOrString', 'any'],
    markers: validation('XIntOrString'),
    setsType: true,
    apply: (draft) => {
      delete draft.type;
      delete draft[preserve];
      Object.assign(draft, intOrString);
    },
  },
  {
    name: 'schemaless',
    key: 'omits the schema of the type',
    argument: 'none',
    markers: validation('Schemaless'),
    setsType: true,
    apply: removeSchema,
  },
  {
    name: 'externalDocs',
    key: 'externalDocs',
    argument: 'url',
    places: everywhere,
    markers: ['kubebuilder:externalDocs'],
    apply: keyword('externalDocs', link),
  },
  {
    name: 'skipDescription',
    key: 'omits the description',
    argument: 'none',
    places: everywhere,
    markers: ['kubebuilder:skipdescription'],
    apply: (draft) => {
      delete draft.description;
    },
  },
  // Rules.
  {
    name: 'rule',
    key: 'x-kubernetes-validations',
    argument: 'text',
    places: everywhere,
    markers: validation('XValidation'),
    apply: addRule,
  },
  ...(['message', 'messageExpression', 'reason', 'fieldPath', 'optionalOldSelf'] as const).map(
    (name): TagDefinition => ({
      name,
      key: `${name} of the preceding rule`,
      argument: 'sub',
      places: everywhere,
      markers: validation(`XValidation:${name}`),
      apply: extendRule(name),
    }),
  ),
  {
    name: 'immutable',
    key: 'x-kubernetes-validations',
    argument: 'none',
    places: ['field'],
    markers: ['k8s:immutable'],
    apply: makeImmutable,
  },
  ...(['atMostOneOf', 'exactlyOneOf', 'atLeastOneOf'] as const).map(
    (name): TagDefinition => ({
      name,
      key: 'x-kubernetes-validations',
      argument: 'names',
      on: ['object'],
      markers: validation(`${name[0]?.toUpperCase()}${name.slice(1)}`),
      apply: countFields(name),
    }),
  ),
];
