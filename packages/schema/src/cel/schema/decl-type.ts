import type { SchemaNode } from '../../node/schema-node.ts';
import { fail } from '../errors.ts';
import type { CelType } from '../types/cel-type.ts';
import * as t from '../types/cel-type.ts';
import { decodeBase64 } from '../values/base64.ts';
import { CelDouble } from '../values/double.ts';
import { CelDuration } from '../values/duration.ts';
import { CelTimestamp } from '../values/timestamp.ts';
import type { CelValue } from '../values/value.ts';
import { escapeProperty, unescapeProperty } from './escape.ts';
import { PreservedValue } from './preserved-value.ts';
import { SchemaList } from './schema-list.ts';
import { type MemberTypes, SchemaObject } from './schema-object.ts';

/**
 * The CEL view of a schema: its static type, and the conversion of JSON to CEL values.
 *
 * {@link schema} is kept for cost estimates, which derive sizes from the schema's limits (`maxItems`, `maxLength`, …).
 */
export interface DeclType {
  /** Static type; undefined if expressions cannot access the values, because the schema has no type. */
  readonly type: CelType | undefined;
  readonly schema: SchemaNode;
  /** True if the JSON values need no conversion to CEL values. */
  readonly plain: boolean;
  toValue(raw: unknown): CelValue;
}

/** The location of a schema. */
export interface DeclOptions {
  /** Type name that error messages use for structures. */
  readonly name: string;
  /** True if the object has `apiVersion`, `kind` and `metadata`, whether or not the schema declares these fields. */
  readonly resourceRoot: boolean;
}

/** Derives the CEL view of a schema. Members of structures are derived on first access. */
export function declTypeOf(schema: SchemaNode, options: DeclOptions): DeclType {
  if (isBuiltinQuantity(schema)) return untyped(schema);
  if (schema.intOrString === true) return scalar(schema, t.dynType, intOrString);
  switch (schema.type) {
    case 'object':
      return objectType(schema, options);
    case 'array':
      return listType(schema, options);
    case 'string':
      return stringDeclType(schema);
    case 'boolean':
      return scalar(schema, t.boolType, (raw) => (typeof raw === 'boolean' ? raw : mismatch('bool', raw)), true);
    case 'integer':
      return scalar(schema, t.intType, integer, true);
    case 'number':
      return scalar(schema, t.doubleType, double);
    default:
      return untyped(schema);
  }
}

function untyped(schema: SchemaNode): DeclType {
  return { type: undefined, schema, plain: false, toValue: (raw) => new PreservedValue(raw) };
}

/** True for quantities in built-in kinds. The API server's OpenAPI documents give quantities no type. */
function isBuiltinQuantity({ format, typeName }: SchemaNode): boolean {
  return format === 'quantity' && typeName !== undefined;
}

function integer(raw: unknown): CelValue {
  if (typeof raw === 'bigint') return raw;
  return typeof raw === 'number' ? raw + 0 : mismatch('int', raw);
}

function double(raw: unknown): CelValue {
  return typeof raw === 'number' || typeof raw === 'bigint' ? new CelDouble(Number(raw)) : mismatch('float', raw);
}

function mismatch(expected: string, raw: unknown): never {
  return fail(`invalid data, expected ${expected}, got ${raw === null ? 'null' : typeof raw}`);
}

function scalar(schema: SchemaNode, type: CelType, read: (raw: unknown) => CelValue, plain = false): DeclType {
  return { type, schema, plain, toValue: (raw) => (raw === null ? nullValue(schema) : read(raw)) };
}

function nullValue(schema: SchemaNode): CelValue {
  return schema.nullable === true ? null : fail('invalid data, got null for schema with nullable=false');
}

function intOrString(raw: unknown): CelValue {
  if (typeof raw === 'string') return raw;
  if (typeof raw === 'bigint') return raw;
  if (typeof raw === 'number') return Number.isInteger(raw) ? raw : new CelDouble(raw);
  return fail('invalid data, expected XIntOrString value to be either a string or integer');
}

function stringDeclType(schema: SchemaNode): DeclType {
  switch (schema.format) {
    case 'byte':
      return scalar(
        schema,
        t.bytesType,
        (raw) => decodeBase64(text(raw)) ?? fail(`Invalid byte formatted string ${raw}`),
      );
    case 'duration':
      return scalar(schema, t.durationType, (raw) => CelDuration.parse(text(raw)) ?? fail(`Invalid duration ${raw}`));
    case 'date':
      return scalar(
        schema,
        t.timestampType,
        (raw) => CelTimestamp.parseDate(text(raw)) ?? fail(`Invalid date formatted string ${raw}`),
      );
    case 'date-time':
      return scalar(
        schema,
        t.timestampType,
        (raw) => CelTimestamp.parse(text(raw)) ?? fail(`Invalid date-time formatted string ${raw}`),
      );
    default:
      return scalar(schema, t.stringType, text, true);
  }
}

function text(raw: unknown): string {
  return typeof raw === 'string' ? raw : mismatch('string', raw);
}

function listType(schema: SchemaNode, options: DeclOptions): DeclType {
  if (schema.items === undefined) return untyped(schema);
  const element = declTypeOf(schema.items, {
    name: `${options.name}.@idx`,
    resourceRoot: schema.items.embeddedResource === true,
  });
  const traits = { element, listType: schema.listType ?? ('atomic' as const), mapKeys: schema.listMapKeys ?? [] };
  const plain = element.plain && traits.listType === 'atomic';
  return {
    type: element.type && t.listOf(element.type),
    schema,
    plain,
    toValue(raw) {
      if (raw === null) return nullValue(schema);
      if (!Array.isArray(raw)) return fail('invalid data, expected an array for the provided schema with type=array');
      // A plain JSON list is also a CEL list.
      return plain ? (raw as readonly CelValue[]) : new SchemaList(raw, traits);
    },
  };
}

function objectType(schema: SchemaNode, options: DeclOptions): DeclType {
  const values = schema.additionalProperties;
  // `additionalProperties: true` does not describe the values, so expressions see an empty structure.
  const untyped = values?.type === 'any' && values.preserveUnknownFields !== true && values.intOrString !== true;
  if (values !== undefined && !untyped && !options.resourceRoot) {
    const element = declTypeOf(values, {
      name: `${options.name}.@elem`,
      resourceRoot: values.embeddedResource === true,
    });
    const members: MemberTypes = { structure: false, memberType: () => element };
    return objectReader(schema, element.type && t.mapOf(t.stringType, element.type), members);
  }
  const types = memberTypes(schema, options);
  const type = t.structOf(options.name, {
    typeOf(field) {
      const property = unescapeProperty(field);
      if (property === undefined) return undefined;
      // Since Kubernetes 1.31, a reserved word may also be used without escaping.
      return property === field || escapeProperty(property) === field ? types(property)?.type : undefined;
    },
  });
  return objectReader(schema, type, { structure: true, memberType: types });
}

function objectReader(schema: SchemaNode, type: CelType | undefined, members: MemberTypes): DeclType {
  return {
    type,
    schema,
    plain: false,
    toValue(raw) {
      if (raw === null) return nullValue(schema);
      if (typeof raw !== 'object' || Array.isArray(raw)) {
        return fail('invalid data, expected a map for the provided schema with type=object');
      }
      // The cast is safe: JSON objects have string keys.
      return new SchemaObject(raw as { readonly [property: string]: unknown }, members);
    },
  };
}

const stringNode: SchemaNode = { type: 'string' };
const metadataNode: SchemaNode = {
  type: 'object',
  properties: new Map([
    ['name', stringNode],
    ['generateName', stringNode],
  ]),
};

/** Returns the types of an object's members, each derived on first access. */
function memberTypes(schema: SchemaNode, options: DeclOptions): (property: string) => DeclType | undefined {
  const known = new Map<string, DeclType | undefined>();
  return (property) => {
    if (known.has(property)) return known.get(property);
    const node = memberSchema(schema, property, options.resourceRoot);
    const escaped = escapeProperty(property) ?? property;
    const type =
      node && declTypeOf(node, { name: `${options.name}.${escaped}`, resourceRoot: node.embeddedResource === true });
    known.set(property, type);
    return type;
  };
}

/**
 * Returns a member's schema. Resources always have `apiVersion`, `kind`, `metadata.name` and `metadata.generateName`; other
 * metadata is hidden.
 */
function memberSchema(schema: SchemaNode, property: string, resourceRoot: boolean): SchemaNode | undefined {
  if (resourceRoot) {
    if (property === 'apiVersion' || property === 'kind') return stringNode;
    if (property === 'metadata') return metadataNode;
  }
  return schema.properties?.get(property);
}
