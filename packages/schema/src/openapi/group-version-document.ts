import type { JsonObject } from '@kubewright/apimachinery/internal';
import { builtinOpenApiSchema, builtinReferences, type OpenApiOptions } from '../builtin/open-api.ts';
import { componentName, metaComponents } from './component-names.ts';
import { customSchemas } from './custom-schema.ts';
import type { DocumentedResource } from './documented-resource.ts';
import { hasComponent, resourcePaths } from './operations.ts';

/** The `info` section of a document. */
export interface OpenApiInfo {
  readonly description?: string;
  readonly title: string;
  readonly version: string;
}

/** Paths and schemas of some resources, not yet assembled into a document. */
export interface DocumentParts {
  readonly paths: JsonObject;
  readonly schemas: JsonObject;
}

/** Collects the paths of resources and all schemas that they refer to, directly or indirectly. */
export function documentParts(definitions: readonly DocumentedResource[], options: OpenApiOptions): DocumentParts {
  const paths = new Map<string, JsonObject>();
  const custom = new Map<string, JsonObject>();
  const wanted = new Set<string>(Object.values(metaComponents));
  for (const definition of definitions) {
    for (const [path, operations] of resourcePaths(definition)) paths.set(path, operations);
    if (definition.custom) for (const [name, schema] of customSchemas(definition, options)) custom.set(name, schema);
    for (const name of namesOf(definition)) wanted.add(name);
  }
  const schemas = new Map<string, JsonObject>(custom);
  for (const name of closure(wanted)) {
    const schema = builtinOpenApiSchema(name, options);
    if (schema) schemas.set(name, schema);
  }
  return { paths: sortedObject(paths), schemas: sortedObject(schemas) };
}

/**
 * Returns the OpenAPI v3 document of one group and version: the paths and operations of its resources, and all schemas that
 * they refer to. The result is deterministic: the same resources yield the same bytes.
 */
export function groupVersionDocument(
  definitions: readonly DocumentedResource[],
  options: OpenApiOptions & { readonly info?: OpenApiInfo } = {},
): JsonObject {
  const { info = { title: 'Kubernetes', version: '1.36' } } = options;
  const { paths, schemas } = documentParts(definitions, options);
  return {
    openapi: '3.0.0',
    info,
    paths,
    components: {
      schemas,
      securitySchemes: { BearerToken: { type: 'apiKey', name: 'authorization', in: 'header' } },
    },
  };
}

function namesOf(definition: DocumentedResource): readonly string[] {
  const { group, version, listKind } = definition;
  const lists = definition.verbs.includes('list') ? [componentName({ group, version, kind: listKind })] : [];
  const below = [...definition.subresources.values()].filter((sub) => hasComponent(sub, definition));
  return [componentName(definition), ...lists, ...below.map(componentName)];
}

function closure(names: ReadonlySet<string>): ReadonlySet<string> {
  const reached = new Set(names);
  // A loop over a set also visits the names added during the loop.
  for (const name of reached) for (const reference of builtinReferences(name)) reached.add(reference);
  return reached;
}

function sortedObject(entries: ReadonlyMap<string, JsonObject>): JsonObject {
  return Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));
}
