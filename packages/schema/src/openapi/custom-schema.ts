import type { JsonObject } from '@kubewright/apimachinery/internal';
import { builtinOpenApiSchema, type OpenApiOptions } from '../builtin/open-api.ts';
import type { JsonSchema } from '../structural/json-schema.ts';
import { customComponentName, metaComponents } from './component-names.ts';
import type { DocumentedResource } from './documented-resource.ts';

/**
 * Returns the OpenAPI schemas of a custom resource and its list: the CRD's schema plus `apiVersion`, `kind` and
 * `metadata`. Mirrors the OpenAPI builder of k8s.io/apiextensions-apiserver (1.36).
 */
export function customSchemas(
  definition: DocumentedResource,
  options: OpenApiOptions,
): ReadonlyMap<string, JsonObject> {
  const { group, version, kind, listKind } = definition;
  const name = customComponentName({ group, version, kind });
  return new Map([
    [name, objectSchema(definition, options)],
    [customComponentName({ group, version, kind: listKind }), listSchema(definition, { ...options, item: name })],
  ]);
}

function objectSchema(definition: DocumentedResource, options: OpenApiOptions): JsonObject {
  const { group, version, kind, openApiSchema } = definition;
  const kinds = { 'x-kubernetes-group-version-kind': [{ group, version, kind }] };
  // Given any properties, kubectl would reject all other fields.
  if (openApiSchema === undefined) return { type: 'object', ...kinds };
  const schema = published(openApiSchema, options);
  return {
    ...schema,
    properties: { ...typeMeta(options), ...(schema['properties'] as JsonObject), ...objectMeta(options) },
    ...kinds,
  };
}

function listSchema(definition: DocumentedResource, options: OpenApiOptions & { readonly item: string }): JsonObject {
  const { group, version, kind, listKind } = definition;
  return {
    description: `${listKind} is a list of ${kind}`,
    type: 'object',
    required: ['items'],
    properties: {
      ...typeMeta(options),
      items: {
        description: `List of ${definition.resource}.`,
        type: 'array',
        items: { $ref: `#/components/schemas/${options.item}` },
      },
      metadata: reference(metaComponents.listMeta, 'Standard list metadata.'),
    },
    'x-kubernetes-group-version-kind': [{ group, version, kind: listKind }],
  };
}

/**
 * Copies a schema and adds `apiVersion`, `kind` and `metadata` to embedded objects. Recursion is safe, because CRD
 * validation limits the depth.
 */
function published(schema: JsonSchema, options: OpenApiOptions): JsonObject {
  const { properties, items, additionalProperties, ...rest } = schema;
  const embedded = schema['x-kubernetes-embedded-resource'] === true;
  const fields = Object.entries(properties ?? {}).map(([name, field]) => [name, published(field, options)] as const);
  const all = [...fields, ...(embedded ? Object.entries({ ...typeMeta(options), ...objectMeta(options) }) : [])];
  return {
    ...rest,
    ...(all.length > 0 && { properties: Object.fromEntries(all) }),
    ...(items !== undefined && { items: published(items as JsonSchema, options) }), // CRD validation rejects lists
    ...(additionalProperties !== undefined && {
      additionalProperties:
        typeof additionalProperties === 'boolean' ? additionalProperties : published(additionalProperties, options),
    }),
  };
}

/** Returns the properties `apiVersion` and `kind`, with the same descriptions as in built-in kinds. */
function typeMeta(options: OpenApiOptions): JsonObject {
  const { properties } = builtinOpenApiSchema('io.k8s.api.core.v1.Pod', options) as {
    readonly properties: Readonly<Record<'apiVersion' | 'kind', JsonObject>>;
  };
  return { apiVersion: properties.apiVersion, kind: properties.kind };
}

function objectMeta(options: OpenApiOptions): JsonObject {
  const description = options.description?.('io.k8s.api.core.v1.Pod', 'metadata') ?? '';
  return { metadata: reference(metaComponents.objectMeta, description) };
}

function reference(component: string, description: string): JsonObject {
  return { ...(description !== '' && { description }), allOf: [{ $ref: `#/components/schemas/${component}` }] };
}
