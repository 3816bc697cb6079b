import { type JsonObject, stringifyJson } from '@kubewright/apimachinery/internal';
import { type DocumentedResource, documentParts } from '@kubewright/schema/internal';
import { nextTurn } from '../next-turn.ts';

const methods = ['get', 'put', 'post', 'delete', 'patch'];
/** Number of resources that are described without yielding to other requests. */
const stride = 16;

/** Options for OpenAPI documents. */
export type DocumentOptions = Parameters<typeof documentParts>[1];

/** The part of an OpenAPI v2 document that some resources add: paths and schemas by name, encoded as JSON. */
export interface SwaggerParts {
  readonly paths: ReadonlyMap<string, string>;
  readonly definitions: ReadonlyMap<string, string>;
}

/** Describes the resources of a group and version. Yields in between, because there may be thousands of them. */
export async function swaggerParts(
  definitions: readonly DocumentedResource[],
  options: DocumentOptions,
): Promise<SwaggerParts> {
  const encoded = { paths: new Map<string, string>(), definitions: new Map<string, string>() };
  for (let at = 0; at < definitions.length; at += stride) {
    const { paths, schemas } = documentParts(definitions.slice(at, at + stride), options);
    for (const [name, path] of Object.entries(paths))
      encoded.paths.set(name, stringifyJson(pathV2(path as JsonObject)));
    for (const [name, schema] of Object.entries(schemas)) {
      if (!encoded.definitions.has(name)) encoded.definitions.set(name, stringifyJson(schemaV2(schema)));
    }
    await nextTurn();
  }
  return encoded;
}

/** Assembles a single OpenAPI v2 document of all resources, for tools that support nothing newer. */
export function swaggerDocument(parts: readonly SwaggerParts[]): Uint8Array {
  const about = stringifyJson({
    swagger: '2.0',
    info: { title: 'Kubernetes', version: 'v1.36.3' },
    securityDefinitions: { BearerToken: { type: 'apiKey', name: 'authorization', in: 'header' } },
    security: [{ BearerToken: [] }],
  });
  const paths = encodedObject(parts.map((each) => each.paths));
  const definitions = encodedObject(parts.map((each) => each.definitions));
  return Buffer.from(`${about.slice(0, -1)},"paths":${paths},"definitions":${definitions}}`);
}

/** Joins encoded members, sorted by name. Groups share schemas, such as that of ObjectMeta. */
function encodedObject(maps: readonly ReadonlyMap<string, string>[]): string {
  const members = new Map(maps.flatMap((map) => [...map]));
  const names = [...members.keys()].sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${members.get(name)}`).join(',')}}`;
}

function pathV2(path: JsonObject): JsonObject {
  return mapValues(path, (value, key) =>
    methods.includes(key) ? operationV2(value as JsonObject) : (value as readonly JsonObject[]).map(parameterV2),
  );
}

function operationV2(operation: JsonObject): JsonObject {
  const {
    parameters = [],
    requestBody,
    responses,
    ...rest
  } = operation as {
    readonly parameters?: readonly JsonObject[];
    readonly requestBody?: { readonly content: Content; readonly required?: boolean };
    readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>;
  };
  const body = requestBody && {
    name: 'body',
    in: 'body',
    ...(requestBody.required && { required: true }),
    schema: schemaOf(requestBody.content),
  };
  return {
    ...rest,
    ...(requestBody && { consumes: Object.keys(requestBody.content) }),
    produces: ['application/json', 'application/yaml'],
    schemes: ['https'],
    parameters: [...parameters.map(parameterV2), ...(body ? [body] : [])],
    responses: mapValues(responses, (response) => {
      const { description, content } = response as { readonly description: string; readonly content?: Content };
      return { description, ...(content && { schema: schemaOf(content) }) };
    }),
  };
}

type Content = Readonly<Record<string, { readonly schema: JsonObject }>>;

function schemaOf(content: Content): unknown {
  return schemaV2(Object.values(content)[0]?.schema);
}

function parameterV2(parameter: JsonObject): JsonObject {
  const { schema, ...rest } = parameter as { readonly schema: JsonObject };
  return { ...rest, ...schema };
}

/** Converts a schema to OpenAPI v2, which has other references, and no `oneOf`, `anyOf`, `not` or `nullable`. */
function schemaV2(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(schemaV2);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { allOf, oneOf, anyOf, not, nullable, ...rest } = schema as JsonObject;
  const flat: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(rest)) {
    if (key === '$ref') flat[key] = String(value).replace('#/components/schemas/', '#/definitions/');
    else if (key === 'properties') flat[key] = mapValues(value as JsonObject, schemaV2);
    else if (key === 'items' || key === 'additionalProperties') flat[key] = schemaV2(value);
    else flat[key] = value;
  }
  const [only] = (allOf ?? []) as readonly JsonObject[];
  if (only?.['$ref'] !== undefined) Object.assign(flat, schemaV2(only));
  if (oneOf !== undefined && flat['type'] === undefined) flat['type'] = 'string';
  return flat;
}

function mapValues(object: JsonObject, change: (value: unknown, key: string) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]));
}
