import type { JsonObject } from './parity-kinds.ts';

/** The part of an OpenAPI v3 schema that generators read. */
export interface OpenApiSchema {
  readonly $ref?: string;
  readonly allOf?: readonly OpenApiSchema[];
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, OpenApiSchema>>;
  readonly additionalProperties?: OpenApiSchema | boolean;
  readonly items?: OpenApiSchema;
  readonly 'x-kubernetes-group-version-kind'?: readonly {
    readonly group: string;
    readonly version: string;
    readonly kind: string;
  }[];
}

/** An OpenAPI v3 document of one group version. */
export interface OpenApiDocument {
  readonly components?: { readonly schemas?: Readonly<Record<string, OpenApiSchema>> };
}

/** The types of fields, which select the odd values to try. */
export type FieldType =
  | 'string'
  | 'integer'
  | 'number'
  | 'boolean'
  | 'array'
  | 'object'
  | 'map'
  | 'quantity'
  | 'time'
  | 'intOrString'
  | 'bytes'
  | 'any';

/** A part of an object: its metadata, its status, or everything else. */
export type FieldPart = 'desired' | 'status' | 'metadata';

/** A field of a kind, by its path. In paths, the number `0` is the first element of a list. */
export interface SchemaField {
  readonly path: readonly (string | number)[];
  readonly type: FieldType;
  readonly schema: OpenApiSchema;
}

/** The fields of one kind, from the server's OpenAPI document. */
export class KindSchema {
  readonly #schemas: Readonly<Record<string, OpenApiSchema>>;
  readonly #root: OpenApiSchema;

  /** @throws Error if the document does not describe the kind */
  constructor(document: OpenApiDocument, kind: { readonly apiVersion: string; readonly kind: string }) {
    this.#schemas = document.components?.schemas ?? {};
    const root = Object.entries(this.#schemas).find(([, schema]) =>
      schema['x-kubernetes-group-version-kind']?.some(
        (gvk) => gvk.kind === kind.kind && [gvk.group, gvk.version].filter(Boolean).join('/') === kind.apiVersion,
      ),
    );
    if (!root) throw new Error(`the OpenAPI document has no ${kind.apiVersion} ${kind.kind}`);
    this.#root = { $ref: `#/${root[0]}` };
  }

  /** Returns the fields of a part of the object, in a fixed order. Follows recursive types at most twice. */
  fields(part: FieldPart, maxDepth = 9): readonly SchemaField[] {
    const found: SchemaField[] = [];
    const walk = (given: OpenApiSchema, path: readonly (string | number)[], above: readonly string[]): void => {
      const { schema, name } = this.#resolve(given);
      const type = typeOf(schema, name);
      if (path.length > 0) found.push({ path, type, schema: given });
      if (path.length >= maxDepth || above.filter((one) => one === name).length > 1) return;
      const below = name === '' ? above : [...above, name];
      if (type === 'array' && schema.items) walk(schema.items, [...path, 0], below);
      if (type === 'map' && typeof schema.additionalProperties === 'object') {
        walk(schema.additionalProperties, [...path, 'k'], below);
      }
      if (type !== 'object') return;
      for (const [field, child] of Object.entries(schema.properties ?? {})) {
        if (path.length > 0 || (part === 'desired' ? !fixed.has(field) : field === part))
          walk(child, [...path, field], below);
      }
    };
    walk(this.#root, [], []);
    return found;
  }

  /** Returns a valid value of the type. */
  plausible(given: OpenApiSchema, depth = 0): unknown {
    const { schema, name } = this.#resolve(given);
    if (schema.enum) return schema.enum[0];
    const type = typeOf(schema, name);
    if (type !== 'object') return plausibleValues[type];
    const value: JsonObject = {};
    for (const field of depth < 5 ? (schema.required ?? []) : []) {
      const child = schema.properties?.[field];
      if (child) value[field] = this.plausible(child, depth + 1);
    }
    return value;
  }

  /** Returns the schema at a path. */
  at(path: readonly (string | number)[]): OpenApiSchema {
    return path.reduce((given: OpenApiSchema, step) => {
      const { schema } = this.#resolve(given);
      if (typeof step === 'number') return schema.items ?? {};
      const values = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : {};
      return schema.properties?.[step] ?? values;
    }, this.#root);
  }

  #resolve(given: OpenApiSchema): { readonly schema: OpenApiSchema; readonly name: string } {
    let schema = given;
    let name = '';
    while (schema.$ref !== undefined || schema.allOf?.length === 1) {
      const ref = schema.$ref ?? schema.allOf?.[0]?.$ref;
      if (ref === undefined) break;
      name = ref.slice(ref.lastIndexOf('/') + 1);
      schema = this.#schemas[name] ?? {};
    }
    return { schema, name };
  }
}

/** Top-level fields that requests do not change. */
const fixed: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata', 'status']);

const plausibleValues: Readonly<Record<Exclude<FieldType, 'object'>, unknown>> = {
  string: 'a',
  integer: 1,
  number: 1,
  boolean: true,
  quantity: '1',
  time: '2020-01-01T00:00:00Z',
  intOrString: 1,
  bytes: 'eA==',
  map: {},
  array: [],
  any: {},
};

function typeOf(schema: OpenApiSchema, name: string): FieldType {
  if (name.endsWith('.Quantity')) return 'quantity';
  if (name.endsWith('.IntOrString')) return 'intOrString';
  if (/\.(Micro)?Time$/.test(name)) return 'time';
  if (schema.format === 'byte') return 'bytes';
  if (schema.type === 'object' && schema.additionalProperties) return 'map';
  return (schema.type as FieldType | undefined) ?? 'any';
}
