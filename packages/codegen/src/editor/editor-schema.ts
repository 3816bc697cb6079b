import type { JsonSchema } from '@kubewright/schema';
import type { Crd, CrdVersion } from '../crd/crd.ts';
import { additionalOf, itemsOf } from '../types/children.ts';

/** A JSON schema (draft 7) for completion and validation of manifests in editors. */
export type EditorSchema = Readonly<Record<string, unknown>>;

/** The file of an {@link EditorSchema}: `schemas/<group>/<kind>_<version>.json`. */
export interface EditorSchemaFile {
  readonly path: string;
  readonly text: string;
}

/** Returns the schemas of all served versions of a CRD. */
export function editorSchemas(crd: Crd): readonly EditorSchemaFile[] {
  const { group, names, versions } = crd.spec;
  return versions
    .filter(({ served }) => served)
    .map((version) => ({
      path: `schemas/${group}/${names.kind.toLowerCase()}_${version.name}.json`,
      text: `${JSON.stringify(editorSchema(crd, version), undefined, 2)}\n`,
    }));
}

function editorSchema({ spec }: Crd, version: CrdVersion): EditorSchema {
  const { group, names } = spec;
  const root = convert(version.schema?.openAPIV3Schema ?? {});
  const properties = root['properties'] as Readonly<Record<string, EditorSchema>> | undefined; // built by convert
  const required = root['required'] as readonly string[] | undefined; // built by convert
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: `${names.kind} ${group}/${version.name}`,
    ...root,
    type: 'object',
    properties: {
      ...properties,
      apiVersion: { ...properties?.['apiVersion'], type: 'string', const: `${group}/${version.name}` },
      kind: { ...properties?.['kind'], type: 'string', const: names.kind },
      metadata: { type: 'object' },
    },
    required: [...new Set(['apiVersion', 'kind', 'metadata', ...(required ?? [])])],
  };
}

/** Keywords that have the same meaning in draft 7. */
const sameKeywords = [
  'title',
  'description',
  'default',
  'format',
  'enum',
  'maxLength',
  'minLength',
  'pattern',
  'maxItems',
  'minItems',
  'maxProperties',
  'minProperties',
  'multipleOf',
  'required',
] as const;

function convert(schema: JsonSchema): EditorSchema {
  const same = Object.fromEntries(
    sameKeywords.filter((key) => schema[key] !== undefined).map((key) => [key, schema[key]]),
  );
  const items = itemsOf(schema);
  const values = additionalOf(schema);
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true || schema.additionalProperties === true;
  const properties =
    schema.properties && Object.entries(schema.properties).map(([name, each]) => [name, convert(each)]);
  const list = (each: readonly JsonSchema[] | undefined): readonly EditorSchema[] | undefined => each?.map(nested);
  return {
    ...same,
    ...typeOf(schema),
    ...limit(schema, 'minimum'),
    ...limit(schema, 'maximum'),
    ...(schema['x-kubernetes-list-type'] === 'set' && { uniqueItems: true }),
    ...(schema.example !== undefined && { examples: [schema.example] }),
    ...(items && { items: convert(items) }),
    ...(properties && { properties: Object.fromEntries(properties) }),
    ...(values ? { additionalProperties: convert(values) } : properties && !isOpen && { additionalProperties: false }),
    ...(schema.allOf && { allOf: list(schema.allOf) }),
    ...(schema.oneOf && { oneOf: list(schema.oneOf) }),
    ...(schema.anyOf && schema['x-kubernetes-int-or-string'] !== true && { anyOf: list(schema.anyOf) }),
    ...(schema.not && { not: nested(schema.not) }),
  };
}

/**
 * Converts a subschema of `allOf`, `anyOf`, `oneOf` or `not`. The result must not forbid additional fields, because the
 * enclosing schema does.
 */
function nested(schema: JsonSchema): EditorSchema {
  const { additionalProperties: _, ...rest } = convert(schema);
  return rest;
}

function typeOf(schema: JsonSchema): EditorSchema {
  const types =
    schema['x-kubernetes-int-or-string'] === true ? ['integer', 'string'] : schema.type ? [schema.type] : [];
  if (types.length === 0) return {};
  const all = schema.nullable === true ? [...types, 'null'] : types;
  return { type: all.length === 1 ? all[0] : all };
}

/** Converts a limit. `exclusiveMinimum` and `exclusiveMaximum` are flags in OpenAPI 3.0, but numbers in draft 7. */
function limit(schema: JsonSchema, key: 'minimum' | 'maximum'): EditorSchema {
  const value = schema[key];
  if (value === undefined) return {};
  const isExclusive = key === 'minimum' ? schema.exclusiveMinimum : schema.exclusiveMaximum;
  const exclusive = key === 'minimum' ? 'exclusiveMinimum' : 'exclusiveMaximum';
  return isExclusive === true ? { [exclusive]: value } : { [key]: value };
}
