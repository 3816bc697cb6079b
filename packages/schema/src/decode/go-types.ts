import { goTypeNames } from '../generated/go-type-names.ts';
import type { SchemaNode } from '../node/schema-node.ts';

/**
 * Go types and embedded structures of fields, by `Struct.field` or `io.k8s.api.rbac.v1.Struct.field`. Decode errors print these names, which exist only in
 * Kubernetes' Go source.
 */
let facts: ReadonlyMap<string, { readonly type?: string; readonly embedded?: string }> | undefined;

function factOf(owner: string, field: string): { readonly type?: string; readonly embedded?: string } | undefined {
  facts ??= readFacts();
  return facts.get(`${owner}.${field}`);
}

function readFacts(): Map<string, { type?: string; embedded?: string }> {
  const found = new Map<string, { type?: string; embedded?: string }>();
  for (const line of goTypeNames.split('\n')) {
    const [field = '', text = ''] = line.split(' ');
    const fact = found.get(field) ?? {};
    found.set(field, text.startsWith('<') ? { ...fact, embedded: text.slice(1) } : { ...fact, type: text });
  }
  return found;
}

/**
 * Returns the Go type of a value in a field with a named type that is not a structure (`v1.PullPolicy`); undefined for other
 * fields. `depth` is the number of lists and maps between the field and the value.
 */
export function namedType(place: {
  readonly struct: SchemaNode | undefined;
  readonly name: string;
  readonly depth: number;
}): string | undefined {
  const own = place.struct ? structName(place.struct) : '';
  const embedded = factOf(own, place.name)?.embedded;
  const owner = embedded?.slice(embedded.lastIndexOf('.') + 1) ?? own;
  // If structures of several groups have this name and their types differ, the table has the names of definitions.
  let type = (factOf(owner, place.name) ?? factOf(place.struct?.definition ?? '', place.name))?.type;
  for (let depth = place.depth; depth > 0 && type !== undefined; depth--) type = elementOf(type);
  return type;
}

/**
 * Returns the element type of `[]T` or `map[K]T`; undefined for named types, whose names do not include the element
 * type.
 */
function elementOf(type: string): string | undefined {
  return /^(?:\[\]|map\[[^\]]*\])(.*)$/.exec(type)?.[1];
}

/**
 * Returns a field's name, preceded by the embedded structures that contain it: `VolumeSource.hostPath` for `hostPath` of a
 * Volume.
 */
export function promotedName(owner: string, field: string): string {
  const embedded = factOf(owner, field)?.embedded;
  return embedded === undefined ? field : `${embedded}.${field}`;
}

/** Returns the Go type for upstream's messages, except for named scalars, lists and maps; see {@link namedType}. */
export function goType(node: SchemaNode): string {
  if (node.intOrString === true) return 'int32';
  switch (node.type) {
    case 'string':
      return node.format === 'byte' ? '[]uint8' : 'string';
    case 'boolean':
      return 'bool';
    case 'integer':
      return node.format === 'int64' ? 'int64' : 'int32';
    case 'number':
      return 'float64';
    case 'array':
      return `[]${node.items === undefined ? 'interface {}' : elementType(node.items)}`;
    case 'object':
      if (node.additionalProperties !== undefined && node.properties === undefined) {
        return `map[string]${elementType(node.additionalProperties)}`;
      }
      return node.typeName ?? 'map[string]interface {}';
    default:
      return 'interface {}';
  }
}

function elementType(node: SchemaNode): string {
  return node.typeName ?? goType(node);
}

/** Returns the name of a structure without its package. */
export function structName(node: SchemaNode): string {
  const name = node.typeName ?? '';
  return name.slice(name.lastIndexOf('.') + 1);
}
