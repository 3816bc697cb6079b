import { additionalOf, itemsOf, type JsonSchema } from '../../structural/json-schema.ts';
import type { SchemaStep } from '../rules/rule.ts';
import { escapeProperty, unescapeProperty } from '../schema/escape.ts';

/** The possible sizes of a schema's values. */
export interface SizedType {
  /** Maximum number of characters, elements or entries; 0 for types without a length. */
  readonly maxElements: number;
  /** Length of a value's shortest JSON form, in bytes. Determines how many values fit in one request. */
  readonly minBytes: number;
  /** Type of a list's elements or a map's values. */
  readonly element?: SizedType;
  readonly key?: SizedType;
  /** Types of an object's properties, by JSON name. */
  readonly properties?: ReadonlyMap<string, SizedType>;
  /** Set if the schema could limit the size but does not. */
  readonly unlimited?: UnboundedField;
}

/** A field without a size limit, which makes rules that read it costly. */
export interface UnboundedField {
  /** Path from the root of the object: `spec.users[].name`; `{}` means the values of a map. */
  readonly path: string;
  readonly keyword: 'maxItems' | 'maxLength' | 'maxProperties';
}

/** The maximum request size that cost estimates assume. */
export const maxRequestBytes: number = 3 * 1024 * 1024;

// Lengths of the longest and shortest JSON form of a format's values, including quotes.
const timeBytes = 32;
const dateBytes = 12;
const maxBytesOfFormat: ReadonlyMap<string, number> = new Map([
  ['duration', timeBytes],
  ['date', dateBytes],
  ['date-time', timeBytes],
]);
const minBytesOfFormat: ReadonlyMap<string, number> = new Map([
  ['duration', 3],
  ['date', dateBytes],
  ['date-time', 21],
]);
const minStringBytes = 2;
/** Maximum length of a UTF-8 character. */
const bytesPerCharacter = 4;
const maxString = maxRequestBytes - minStringBytes;

/** The location of a schema. */
interface Place {
  readonly path: string;
  /** True if the object has `apiVersion`, `kind` and `metadata`, whether or not the schema declares these fields. */
  readonly isResource: boolean;
}

/** Derives the possible sizes of values from a CRD's schema; undefined for values that expressions cannot access. */
export function sizedTypeOf(schema: JsonSchema, place: Place = { path: '', isResource: true }): SizedType | undefined {
  if (schema['x-kubernetes-int-or-string'] === true) return { ...textOf(schema, place.path), minBytes: 1 };
  switch (schema.type) {
    case 'object':
      return objectOf(schema, place);
    case 'array':
      return listOf(schema, place.path);
    case 'string':
      return textOf(schema, place.path);
    case 'boolean':
      return { maxElements: 0, minBytes: 4 };
    case 'integer':
    case 'number':
      return { maxElements: 0, minBytes: 1 };
    default:
      return undefined;
  }
}

/** Returns the type of a property, list element or map value. */
export function sizedChild(type: SizedType, step: SchemaStep): SizedType | undefined {
  return typeof step === 'string' ? type.element : type.properties?.get(step.property);
}

/** Returns the type of a field, given the field's (escaped) name in expressions. */
export function sizedField({ properties }: SizedType, name: string): SizedType | undefined {
  const property = unescapeProperty(name);
  if (property === undefined || escapeProperty(property) !== name) return undefined;
  return properties?.get(property);
}

function below(schema: JsonSchema, path: string): SizedType | undefined {
  return sizedTypeOf(schema, { path, isResource: schema['x-kubernetes-embedded-resource'] === true });
}

function listOf(schema: JsonSchema, path: string): SizedType | undefined {
  const items = itemsOf(schema);
  const element = items && below(items, `${path}[]`);
  if (element === undefined) return undefined;
  const fitting = Math.floor((maxRequestBytes - 2) / (element.minBytes + 1));
  return { ...limited(schema.maxItems, fitting, { path, keyword: 'maxItems' }), minBytes: 2, element };
}

function objectOf(schema: JsonSchema, place: Place): SizedType | undefined {
  const values = additionalOf(schema);
  if (values !== undefined) return mapOf(schema, values, place.path);
  const required = new Set(schema.required);
  const properties = new Map<string, SizedType>();
  let minBytes = 2;
  for (const [name, property] of Object.entries(
    place.isResource ? withTypeAndMeta(schema) : (schema.properties ?? {}),
  )) {
    const type = below(property, place.path === '' ? name : `${place.path}.${name}`);
    if (type === undefined) continue;
    properties.set(name, type);
    const isFilledIn = property.default !== undefined && property.default !== null;
    if (required.has(name) && !isFilledIn) minBytes += new TextEncoder().encode(name).length + type.minBytes + 4;
  }
  return { maxElements: 0, minBytes, properties };
}

function mapOf(schema: JsonSchema, values: JsonSchema, path: string): SizedType | undefined {
  const element = below(values, `${path}{}`);
  if (element === undefined) return undefined;
  // Six more bytes per entry, as upstream counts: a quoted key, a colon and a comma.
  const fitting = Math.floor((maxRequestBytes - 2) / (element.minBytes + 6));
  const key: SizedType = { maxElements: 0, minBytes: minStringBytes };
  return { ...limited(schema.maxProperties, fitting, { path, keyword: 'maxProperties' }), minBytes: 2, element, key };
}

function textOf(schema: JsonSchema, path: string): SizedType {
  const format = schema['x-kubernetes-int-or-string'] === true ? undefined : schema.format;
  const minBytes = minBytesOfFormat.get(format ?? '') ?? minStringBytes;
  const ofFormat = maxBytesOfFormat.get(format ?? '');
  if (ofFormat !== undefined) return { maxElements: ofFormat, minBytes };
  const { maxLength, enum: values = [] } = schema;
  if (maxLength === undefined && values.length > 0 && format !== 'byte' && schema.type === 'string') {
    const lengths = values.map((value) => (typeof value === 'string' ? new TextEncoder().encode(value).length : 0));
    return { maxElements: Math.max(...lengths), minBytes };
  }
  const characters = format === 'byte' ? maxLength : maxLength && maxLength * bytesPerCharacter;
  return { ...limited(characters, maxString, { path, keyword: 'maxLength' }), minBytes };
}

function limited(
  limit: number | undefined,
  fitting: number,
  unlimited: UnboundedField,
): Pick<SizedType, 'maxElements' | 'unlimited'> {
  return limit === undefined ? { maxElements: fitting, unlimited } : { maxElements: Math.max(limit, 0) };
}

const text: JsonSchema = { type: 'string' };

/**
 * Adds the fields of a resource that rules can always read: `apiVersion`, `kind`, `metadata.name` and
 * `metadata.generateName`. Hides all other metadata, unless the schema declares these four fields itself.
 */
function withTypeAndMeta({ properties = {} }: JsonSchema): Readonly<Record<string, JsonSchema>> {
  const { kind, apiVersion, metadata } = properties;
  const { name, generateName } = metadata?.properties ?? {};
  const areTexts = [kind, apiVersion, name, generateName].every((schema) => schema?.type === 'string');
  if (areTexts && metadata?.type === 'object') return properties;
  const meta: JsonSchema = { type: 'object', properties: { name: text, generateName: text } };
  return { ...properties, kind: text, apiVersion: text, metadata: meta };
}
