import type { SchemaNode } from '@kubewright/schema/internal';
import { isRecord } from '@kubewright/schema/internal';

/**
 * The type of a value for server-side apply: the forms it can have, and whether a list or map is atomic, that is, owned
 * as a whole. Created once per kind from a {@link SchemaNode}; nested types are created on first access.
 */
export interface ApplyType {
  readonly scalar: 'untyped' | 'numeric' | 'string' | 'boolean' | undefined;
  readonly list: ListType | undefined;
  readonly map: MapType | undefined;
}

export interface ListType {
  readonly atomic: boolean;
  /** Empty for sets. */
  readonly keys: readonly string[];
  readonly element: ApplyType;
  /** True for `managedFields`. In pod templates, field sets can be any JSON. */
  readonly holdsFieldSets?: boolean;
}

export interface MapType {
  readonly atomic: boolean;
  /** Declared fields; empty for plain maps. */
  readonly fields: ReadonlyMap<string, SchemaNode>;
  /** Returns the type of a key's value; `undefined` if the key is not allowed. */
  valueType(key: string): ApplyType | undefined;
  /**
   * True if no field is declared and any field is allowed. Field sets below this map are never reconciled with a
   * changed schema.
   */
  readonly isDeduced: boolean;
}

const noFields: ReadonlyMap<string, SchemaNode> = new Map();

/** Values of unknown type, owned as a whole. */
const untyped: ApplyType = {
  scalar: 'untyped',
  get list(): ListType {
    return { atomic: true, keys: [], element: untyped };
  },
  get map(): MapType {
    return { atomic: true, fields: noFields, valueType: () => untyped, isDeduced: false };
  },
};

/** Values of unknown type: lists are owned as a whole, maps field by field. */
const deduced: ApplyType = {
  scalar: 'untyped',
  list: { atomic: true, keys: [], element: untyped },
  map: { atomic: false, fields: noFields, valueType: () => deduced, isDeduced: true },
};

/**
 * Creates the type of a kind. Reuse the result: creating a type is expensive.
 *
 * `typed` is true for built-in kinds: upstream compares them as Go encodes them, including structs that were never set. Pass
 * `zero` if the exact zero value of the kind is known.
 */
export function applyTypeOf(
  node: SchemaNode,
  { typed = false, zero }: { readonly typed?: boolean; readonly zero?: Zero | undefined } = {},
): KindType {
  const { scalar, list, map } = new NodeType(node, false);
  return { scalar, list, map, zero: zero ?? (typed ? zeroOf(node) : {}) };
}

/** The {@link ApplyType} of a whole kind. */
export interface KindType extends ApplyType {
  /** The fields that Go encodes for every object, even if they were never set. */
  readonly zero: Zero;
}

/** The encoding of an empty Go value: structs, null lists, empty scalars. */
export interface Zero {
  readonly [field: string]: Zero | string | number | boolean | null;
}

/**
 * Names of fields that hold a Go struct rather than a pointer to a struct, in an empty object of some built-in kind. OpenAPI v3
 * gives these fields the default `{}`.
 */
const structures: ReadonlySet<string> = new Set(
  (
    'metadata spec status template jobTemplate strategy updateStrategy scaleTargetRef target source user ' +
    'userInfo involvedObject regarding deprecatedSource daemonEndpoints kubeletEndpoint nodeInfo loadBalancer ' +
    'priorityLevelConfiguration podSelector roleRef devices pool names acceptedNames'
  ).split(' '),
);

function zeroOf(node: SchemaNode): Zero {
  const zero: Record<string, Zero[string]> = {};
  for (const [name, field] of node.properties ?? []) {
    if (field.properties !== undefined && holdsStructure(node, name)) zero[name] = zeroOf(field);
    else if (node.required?.includes(name) === true && (field.type === 'array' || field.type === 'object')) {
      zero[name] = null;
    }
  }
  return zero;
}

function holdsStructure(node: SchemaNode, name: string): boolean {
  // `resources` is a struct in PersistentVolumeClaim, but a pointer in Pod; `template` is a struct in Deployment, but a pointer
  // in ReplicationController.
  if (name === 'resources') return node.properties?.has('volumeName') === true;
  if (name === 'template') return node.properties?.get('selector')?.additionalProperties === undefined;
  return structures.has(name);
}

/** Adds the fields that Go encodes even if they were never set. Returns the object itself if it already has them. */
export function withZero(zero: Zero, object: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  let changed: Record<string, unknown> | undefined;
  for (const name in zero) {
    const value = object[name];
    const inner = zero[name] ?? null;
    const next = value === undefined ? inner : isRecord(inner) && isRecord(value) ? withZero(inner, value) : value;
    if (next === value) continue;
    changed ??= { ...object };
    changed[name] = next;
  }
  return changed ?? object;
}

class NodeType implements ApplyType {
  readonly scalar: ApplyType['scalar'];
  readonly list: ListType | undefined;
  readonly map: MapType | undefined;

  constructor(node: SchemaNode, preserves: boolean) {
    const open = preserves || (node.preserveUnknownFields === true && node.type !== 'any');
    this.scalar = scalarOf(node);
    this.list = node.type === 'array' ? new NodeList(node, open) : node.type === 'any' ? deduced.list : undefined;
    this.map = node.type === 'object' ? new NodeMap(node, open) : node.type === 'any' ? mapOfAny(node) : undefined;
  }
}

function mapOfAny({ mapType }: SchemaNode): MapType | undefined {
  return mapType === 'atomic' ? untyped.map : deduced.map;
}

function scalarOf(node: SchemaNode): ApplyType['scalar'] {
  switch (node.type) {
    case 'integer':
    case 'number':
      return 'numeric';
    case 'boolean':
      return 'boolean';
    case 'string':
      return node.intOrString === true || (node.format !== undefined && node.format !== 'byte') ? 'untyped' : 'string';
    case 'any':
      return 'untyped';
    default:
      return undefined;
  }
}

class NodeList implements ListType {
  readonly atomic: boolean;
  readonly keys: readonly string[];
  readonly holdsFieldSets: boolean;
  readonly #node: SchemaNode;
  readonly #open: boolean;
  #element: ApplyType | undefined;

  constructor(node: SchemaNode, open: boolean) {
    this.#node = node;
    this.#open = open;
    this.holdsFieldSets = node.items?.typeName === 'v1.ManagedFieldsEntry';
    const merges = node.listType === undefined && node.patchStrategies?.includes('merge') === true;
    this.atomic = node.listType === 'atomic' || (node.listType === undefined && !merges);
    this.keys = merges ? (node.patchMergeKey === undefined ? [] : [node.patchMergeKey]) : (node.listMapKeys ?? []);
  }

  get element(): ApplyType {
    this.#element ??= this.#node.items === undefined ? untyped : new NodeType(this.#node.items, this.#open);
    return this.#element;
  }
}

class NodeMap implements MapType {
  readonly atomic: boolean;
  readonly fields: ReadonlyMap<string, SchemaNode>;
  readonly isDeduced: boolean;
  readonly #node: SchemaNode;
  readonly #open: boolean;
  readonly #types = new Map<string, ApplyType>();
  #element: ApplyType | undefined;

  constructor(node: SchemaNode, open: boolean) {
    this.#node = node;
    this.#open = open;
    this.atomic = node.mapType === 'atomic';
    this.fields = node.properties ?? noFields;
    const free = node.additionalProperties === undefined && this.fields.size === 0;
    this.isDeduced = free || (this.fields.size === 0 && node.additionalProperties?.type === 'any');
    if (free || (open && node.additionalProperties === undefined)) this.#element = deduced;
  }

  valueType(key: string): ApplyType | undefined {
    const known = this.#types.get(key);
    if (known !== undefined) return known;
    const field = this.fields.get(key);
    if (field !== undefined) {
      const type = new NodeType(field, this.#open);
      this.#types.set(key, type);
      return type;
    }
    if (this.#element === undefined && this.#node.additionalProperties !== undefined) {
      this.#element = new NodeType(this.#node.additionalProperties, this.#open);
    }
    return this.#element;
  }
}

/**
 * Returns the type of a key's value, even if the schema does not declare the key: upstream rejects an undeclared key,
 * but tracking must not fail.
 */
export function valueTypeOrDeduced(map: MapType, key: string): ApplyType {
  return map.valueType(key) ?? deduced;
}

/** The forms that a value can have in a type. */
export type Form = 'map' | 'list' | 'scalar';

/**
 * Returns the form of a value. For null, and for values that do not match the type, returns the first form that the
 * type has.
 */
export function formOf(type: ApplyType, value: unknown): Form {
  if (typeof value === 'object' && value !== null) {
    if (Array.isArray(value)) {
      if (type.list !== undefined) return 'list';
    } else if (type.map !== undefined) {
      return 'map';
    }
  } else if (value !== null && value !== undefined && type.scalar !== undefined) {
    return 'scalar';
  }
  return type.map !== undefined ? 'map' : type.scalar !== undefined ? 'scalar' : 'list';
}
