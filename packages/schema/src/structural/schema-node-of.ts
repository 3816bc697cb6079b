import type { SchemaNode } from '../node/schema-node.ts';
import { additionalOf, itemsOf, type JsonSchema } from './json-schema.ts';

const string: SchemaNode = { type: 'string' };

/**
 * Converts a custom resource's schema to a {@link SchemaNode}, the form that patches, server-side apply and strict
 * decoding need. The root's `apiVersion`, `kind` and `metadata` always have their standard schemas, whatever this
 * schema declares.
 */
export function schemaNodeOf(
  schema: JsonSchema,
  { objectMeta }: { readonly objectMeta?: SchemaNode | undefined },
): SchemaNode {
  return convert(schema, { isResource: true, objectMeta });
}

interface Options {
  readonly isResource: boolean;
  readonly objectMeta: SchemaNode | undefined;
}

function convert(schema: JsonSchema, options: Options): SchemaNode {
  const below = { ...options, isResource: false };
  const items = itemsOf(schema);
  const additional = additionalOf(schema);
  const isResource = options.isResource || schema['x-kubernetes-embedded-resource'] === true;
  const properties = convertProperties(schema, { below, isResource, objectMeta: options.objectMeta });
  const openMap = schema.additionalProperties === true;
  return {
    type: nodeType(schema),
    format: schema.format,
    properties,
    additionalProperties:
      additional === undefined ? (openMap ? { type: 'any' } : undefined) : convert(additional, below),
    items: items === undefined ? undefined : convert(items, below),
    required: schema.required,
    listType: listType(schema['x-kubernetes-list-type']),
    listMapKeys: schema['x-kubernetes-list-map-keys'],
    mapType: schema['x-kubernetes-map-type'] === 'atomic' ? 'atomic' : undefined,
    intOrString: schema['x-kubernetes-int-or-string'],
    preserveUnknownFields: schema['x-kubernetes-preserve-unknown-fields'],
    embeddedResource: schema['x-kubernetes-embedded-resource'],
    nullable: schema.nullable,
    default: schema.default,
  };
}

function convertProperties(
  schema: JsonSchema,
  {
    below,
    isResource,
    objectMeta,
  }: { readonly below: Options; readonly isResource: boolean; readonly objectMeta: SchemaNode | undefined },
): ReadonlyMap<string, SchemaNode> | undefined {
  const declared = Object.entries(schema.properties ?? {});
  if (declared.length === 0 && !isResource) return undefined;
  const properties = new Map<string, SchemaNode>();
  for (const [name, property] of declared) properties.set(name, convert(property, below));
  if (isResource) {
    properties.set('apiVersion', string);
    properties.set('kind', string);
    if (objectMeta !== undefined) properties.set('metadata', objectMeta);
    else if (!properties.has('metadata')) properties.set('metadata', { type: 'any' });
  }
  return properties;
}

function nodeType(schema: JsonSchema): SchemaNode['type'] {
  if (schema['x-kubernetes-int-or-string'] === true) return 'string';
  switch (schema.type) {
    case 'object':
    case 'array':
    case 'string':
    case 'integer':
    case 'number':
    case 'boolean':
      return schema.type;
    default:
      return schema.properties === undefined ? 'any' : 'object';
  }
}

function listType(type: string | undefined): SchemaNode['listType'] {
  return type === 'set' || type === 'map' || type === 'atomic' ? type : undefined;
}
