import type { JsonObject } from '@kubewright/apimachinery/internal';

const methods = ['get', 'put', 'post', 'delete', 'patch'];

/** Converts the operations of a path from OpenAPI v3 to v2. */
export function pathV2(path: JsonObject): JsonObject {
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

/**
 * Converts a schema from OpenAPI v3 to v2: adapts references, and drops `oneOf`, `anyOf`, `not` and `nullable`, which
 * v2 does not support.
 */
export function schemaV2(schema: unknown): unknown {
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
