import type { SchemaNode } from '../node/index.ts';

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

/** Makes the type of a kind. Keep the result: making it is what costs. */
export function applyTypeOf(node: SchemaNode): ApplyType {
  return new NodeType(node, false);
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
