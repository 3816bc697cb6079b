import { defined } from '@kubewright/apimachinery/internal';
import { builtinTypeTable } from './builtin-schema.ts';
import { type Definition, type Field, referenceOf, type TypeTable } from './type-table.ts';

/** A schema in an OpenAPI v3 document, as JSON. */
export type OpenApiSchema = Readonly<Record<string, unknown>>;

/** Options for {@link builtinOpenApiSchema}. */
export interface OpenApiOptions {
  /** Returns the description of a definition or of one of its fields. @defaultValue no descriptions */
  readonly description?: (definition: string, field?: string) => string | undefined;
}

/**
 * Returns a definition as an OpenAPI v3 schema in the form that `/openapi/v3` serves, with references to
 * `#/components/schemas/…`, Kubernetes' extensions and enumerations. Returns undefined for anything that is not built
 * in.
 */
export function builtinOpenApiSchema(name: string, options: OpenApiOptions = {}): OpenApiSchema | undefined {
  const table = builtinTypeTable();
  const index = table.indexOf(name);
  if (index === undefined) return undefined;
  const definition = table.definitionAt(index);
  const description = options.description?.(name);
  const head = description === undefined ? {} : { description };
  if (definition.special !== '') return { ...head, ...specialSchema(definition) };
  return { ...head, ...structureSchema(table, { definition, options }) };
}

/** Returns the names of the definitions that a definition refers to directly. */
export function builtinReferences(name: string): readonly string[] {
  const table = builtinTypeTable();
  const index = table.indexOf(name);
  if (index === undefined) return [];
  const targets = new Set<string>();
  for (const field of table.definitionAt(index).fields) {
    const reference = referenceOf(field.type.replace(/^[[{]+/, ''));
    if (reference !== undefined) targets.add(table.nameAt(reference));
  }
  return [...targets];
}

/** Returns the names of all built-in definitions, sorted: `io.k8s.api.core.v1.Pod`. */
export function builtinDefinitions(): readonly string[] {
  return builtinTypeTable().names;
}

function specialSchema(definition: Definition): OpenApiSchema {
  switch (definition.special) {
    case 'quantity':
      return { oneOf: [{ type: 'string' }, { type: 'number' }] };
    case 'intOrString':
      return { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] };
    case 'time':
    case 'microTime':
      return { type: 'string', format: 'date-time' };
    default:
      // JSON, JSONSchemaPropsOrBool and similar types accept any value; RawExtension accepts an object.
      return definition.name.includes('.JSON') ? {} : { type: 'object' };
  }
}

interface StructureOptions {
  readonly definition: Definition;
  readonly options: OpenApiOptions;
}

function structureSchema(table: TypeTable, { definition, options }: StructureOptions): OpenApiSchema {
  const required = definition.fields.filter((field) => field.required).map((field) => field.name);
  const properties = definition.fields.map((field): [string, OpenApiSchema] => {
    const description = options.description?.(definition.name, field.name);
    return [field.name, fieldSchema(table, { field, description })];
  });
  properties.sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    type: 'object',
    ...(required.length === 0 ? {} : { required }),
    ...(properties.length === 0 ? {} : { properties: Object.fromEntries(properties) }),
    ...defined({ 'x-kubernetes-map-type': definition.mapType }),
    ...(definition.gvk === undefined ? {} : { 'x-kubernetes-group-version-kind': [definition.gvk] }),
  };
}

interface FieldOptions {
  readonly field: Field;
  readonly description: string | undefined;
}

function fieldSchema(table: TypeTable, { field, description }: FieldOptions): OpenApiSchema {
  const type = typeSchema(table, field.type);
  const rest = {
    ...defined({ description }),
    ...('default' in field ? { default: field.default } : {}),
    ...defined({
      'x-kubernetes-list-map-keys': field.listMapKeys,
      'x-kubernetes-list-type': field.listType,
      'x-kubernetes-patch-merge-key': field.patchMergeKey,
    }),
    ...(field.patchStrategies === undefined ? {} : { 'x-kubernetes-patch-strategy': field.patchStrategies.join(',') }),
    ...defined({ 'x-kubernetes-map-type': field.mapType }),
  };
  const withValues = field.values === undefined ? type : enumerated(type, field.values);
  if ('$ref' in withValues && Object.keys(rest).length > 0) return { ...rest, allOf: [withValues] };
  return { ...rest, ...withValues };
}

function enumerated(type: OpenApiSchema, values: readonly string[]): OpenApiSchema {
  return type['type'] === 'array' ? { ...type, items: { type: 'string', enum: values } } : { ...type, enum: values };
}

function typeSchema(table: TypeTable, type: string): OpenApiSchema {
  const reference = referenceOf(type);
  if (reference !== undefined) return { $ref: `#/components/schemas/${table.nameAt(reference)}` };
  if (type.startsWith('[')) return { type: 'array', items: typeSchema(table, type.slice(1)) };
  if (type.startsWith('{')) return { type: 'object', additionalProperties: typeSchema(table, type.slice(1)) };
  return scalars[type] ?? { type: 'object' };
}

const scalars: Readonly<Record<string, OpenApiSchema>> = {
  s: { type: 'string' },
  y: { type: 'string', format: 'byte' },
  i: { type: 'integer', format: 'int32' },
  l: { type: 'integer', format: 'int64' },
  n: { type: 'number', format: 'double' },
  b: { type: 'boolean' },
};
