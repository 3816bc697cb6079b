import type { SchemaNode } from '../node/index.ts';
import { isRecord } from '../structural/equal.ts';

/**
 * A type as server-side apply sees it: what a value may be, and where ownership ends (an atomic list or map is owned as
 * one). Made once from a {@link SchemaNode} and kept for the kind; parts are made when they are first looked at.
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
}

export interface MapType {
  readonly atomic: boolean;
  /** Declared fields; empty for plain maps. */
  readonly fields: ReadonlyMap<string, SchemaNode>;
  /** Type of a key's value; `undefined` if that key may not be there. */
  valueType(key: string): ApplyType | undefined;
  /** No field is declared, and any may come: what is owned there is never reconciled with a changed schema. */
  readonly isDeduced: boolean;
}

const NO_FIELDS: ReadonlyMap<string, SchemaNode> = new Map();

/** Values that nothing is known of and that are owned as one. */
const UNTYPED: ApplyType = {
  scalar: 'untyped',
  get list(): ListType {
    return { atomic: true, keys: [], element: UNTYPED };
  },
  get map(): MapType {
    return { atomic: true, fields: NO_FIELDS, valueType: () => UNTYPED, isDeduced: false };
  },
};

/** Values that nothing is known of: lists are owned as one, maps field by field. */
const DEDUCED: ApplyType = {
  scalar: 'untyped',
  list: { atomic: true, keys: [], element: UNTYPED },
  map: { atomic: false, fields: NO_FIELDS, valueType: () => DEDUCED, isDeduced: true },
};

/**
 * Makes the type of a kind. Keep the result: making it is what costs.
 *
 * `typed` is true for built-in kinds: upstream compares what Go writes of them, which has structures where nothing was set.
 * Who knows exactly what that is gives it as `zero`.
 */
export function applyTypeOf(
  node: SchemaNode,
  { typed = false, zero }: { readonly typed?: boolean; readonly zero?: Zero | undefined } = {},
): KindType {
  const { scalar, list, map } = new NodeType(node, false);
  return { scalar, list, map, zero: zero ?? (typed ? zeroOf(node) : {}) };
}

/** {@link ApplyType} of a whole kind. */
export interface KindType extends ApplyType {
  /** What is there in every object, whether it was set or not. */
  readonly zero: Zero;
}

/** What an empty Go value is written with: structures, null lists, empty scalars. */
export interface Zero {
  readonly [field: string]: Zero | string | number | boolean | null;
}

/**
 * Fields that hold a structure rather than a pointer to one, by name: those that can be reached from an empty object of
 * some built-in kind (where OpenAPI v3 states the default `{}`).
 */
const STRUCTURES: ReadonlySet<string> = new Set(
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
  // Pod has a pointer where PersistentVolumeClaim has a structure; so has ReplicationController where Deployment has one.
  if (name === 'resources') return node.properties?.has('volumeName') === true;
  if (name === 'template') return node.properties?.get('selector')?.additionalProperties === undefined;
  return STRUCTURES.has(name);
}

/** An object with what upstream writes where nothing was set; the very object if it has all that. */
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
    this.list = node.type === 'array' ? new NodeList(node, open) : node.type === 'any' ? DEDUCED.list : undefined;
    this.map = node.type === 'object' ? new NodeMap(node, open) : node.type === 'any' ? DEDUCED.map : undefined;
  }
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
  readonly #node: SchemaNode;
  readonly #open: boolean;
  #element: ApplyType | undefined;

  constructor(node: SchemaNode, open: boolean) {
    this.#node = node;
    this.#open = open;
    const merges = node.listType === undefined && node.patchStrategies?.includes('merge') === true;
    this.atomic = node.listType === 'atomic' || (node.listType === undefined && !merges);
    this.keys = merges ? (node.patchMergeKey === undefined ? [] : [node.patchMergeKey]) : (node.listMapKeys ?? []);
  }

  get element(): ApplyType {
    this.#element ??= this.#node.items === undefined ? UNTYPED : new NodeType(this.#node.items, this.#open);
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
    this.fields = node.properties ?? NO_FIELDS;
    const free = node.additionalProperties === undefined && this.fields.size === 0;
    this.isDeduced = free || (this.fields.size === 0 && node.additionalProperties?.type === 'any');
    if (free || (open && node.additionalProperties === undefined)) this.#element = DEDUCED;
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

/** The type to go on with below a key that the schema does not know: upstream refuses it, tracking must not. */
export function valueTypeOrDeduced(map: MapType, key: string): ApplyType {
  return map.valueType(key) ?? DEDUCED;
}

/** Which of its forms a value has in a type. */
export type Form = 'map' | 'list' | 'scalar';

/** The form of a value; of null, and of what does not fit, the first that the type has. */
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
