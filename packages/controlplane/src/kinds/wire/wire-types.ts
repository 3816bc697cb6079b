import { wireShapes } from '../generated/wire-shapes.ts';
import { canonicalScalar } from './canonical-scalar.ts';
import { EmptyFields, isEmptyList } from './empty-fields.ts';

/** Describes how Go's encoder writes a field: its type, whether it can be omitted, and its default. */
interface WireField {
  readonly name: string;
  /** `always` writes the field even if it is zero; `omitempty` and `omitzero` work as in Go's encoder. */
  readonly omit: 'always' | 'omitempty' | 'omitzero';
  readonly value: WireValue;
  /** The default declared with the field, if any. */
  readonly fallback: unknown;
}

type WireValue =
  | { readonly kind: 'pointer' | 'list' | 'map'; readonly of: WireValue }
  | { readonly kind: 'struct'; readonly type: string }
  | { readonly kind: 'scalar'; readonly code: string };

/** A mutable JSON object. */
export type Fields = Record<string, unknown>;

/** An empty list, map or byte slice that normalization removed from a structure, because Go's encoder omits it. */
export interface OmittedField {
  readonly object: Fields;
  readonly name: string;
  readonly value: unknown;
}

/** Sets the defaults of one structure in place. Runs after normalization, for every value of the structure's type. */
export type StructDefaults = (value: Fields) => void;

/**
 * Converts built-in objects to the form that Go's encoder writes. Some empty values are omitted, and some zero values
 * appear although no client sent them (`status: {}`, `replicas: 0`, `rules: null`). Upstream decodes objects into Go
 * structures and encodes them again, which has this effect on stored objects. Kubewright reproduces it.
 */
export class WireTypes {
  readonly #structs = new Map<string, readonly WireField[]>();
  readonly #defaults: ReadonlyMap<string, StructDefaults>;
  /** The empty lists and maps that clients sent, by object. */
  readonly emptyFields: EmptyFields = new EmptyFields();
  /** For each structure, the fields that are or contain required lists. */
  readonly #withLists = new Map<string, readonly WireField[]>();

  /** @param defaults - by structure name (`v1.Probe`). Defaults of parents run first, as in upstream's generated code. */
  constructor(defaults: ReadonlyMap<string, StructDefaults>) {
    this.#defaults = defaults;
  }

  /**
   * Converts an object in place to the form that Go's encoder writes. Unknown fields are kept.
   *
   * @returns the empty lists and maps that it removed, which upstream's rules can still see
   */
  normalize(type: string, object: Fields): readonly OmittedField[] {
    const omitted: OmittedField[] = [];
    this.#normalizeFields(type, object, omitted);
    return omitted;
  }

  #normalizeFields(type: string, object: Fields, omitted: OmittedField[]): void {
    for (const field of this.#fields(type)) {
      const { name, omit } = field;
      const given = Object.hasOwn(object, name) ? object[name] : undefined;
      if (omit === 'always' && isEmptyList(given) && field.value.kind === 'list') continue;
      const value = this.#normalized(field.value, given, omitted);
      const absent = value === undefined || (omit !== 'always' && isOmitted(field, value));
      if (!absent) object[name] = value;
      else if (omit === 'always') object[name] = null;
      else if (given !== undefined) {
        delete object[name];
        if (isEmptyOf(field.value, given)) omitted.push({ object, name, value: given });
      }
    }
  }

  /**
   * Replaces empty required lists with null, in place. Upstream stores built-in kinds as protobuf, which cannot distinguish an
   * empty list from an absent list. Before storage, the two differ, and the client that sent an empty list becomes the manager of
   * the field.
   */
  dropEmptyLists(type: string, object: Fields): void {
    for (const { name, omit, value } of this.#fieldsWithLists(type)) {
      if (omit === 'always' && isEmptyList(object[name])) object[name] = null;
      else this.#dropWithin(value, object[name]);
    }
  }

  /** Sets all defaults of a normalized object in place. */
  applyDefaults(type: string, object: Fields): void {
    this.#defaults.get(type)?.(object);
    for (const field of this.#fields(type)) {
      const value = object[field.name];
      if (isUnset(field, value)) {
        if (field.fallback) object[field.name] = field.fallback;
        else if (field.fallback !== undefined && field.value.kind === 'pointer') object[field.name] = field.fallback;
        continue;
      }
      this.#defaultsWithin(field.value, value);
    }
  }

  /** Returns the normalized empty value of a structure. */
  zero(type: string): Fields {
    const object: Fields = {};
    this.normalize(type, object);
    return object;
  }

  #dropWithin(shape: WireValue, value: unknown): void {
    if (typeof value !== 'object' || value === null || shape.kind === 'scalar') return;
    if (shape.kind === 'struct') this.dropEmptyLists(shape.type, value as Fields);
    else if (shape.kind === 'pointer') this.#dropWithin(shape.of, value);
    else for (const item of Object.values(value)) this.#dropWithin(shape.of, item);
  }

  #fieldsWithLists(type: string): readonly WireField[] {
    const known = this.#withLists.get(type);
    if (known) return known;
    this.#withLists.set(type, []); // ends the recursion for recursive types such as JSONSchemaProps
    const fields = this.#fields(type).filter(({ omit, value }) => {
      if (omit === 'always' && value.kind === 'list') return true;
      const struct = structWithin(value);
      return struct !== undefined && this.#fieldsWithLists(struct).length > 0;
    });
    this.#withLists.set(type, fields);
    return fields;
  }

  #defaultsWithin(shape: WireValue, value: unknown): void {
    if (typeof value !== 'object' || value === null || shape.kind === 'scalar') return;
    if (shape.kind === 'struct') this.applyDefaults(shape.type, value as Fields);
    else if (shape.kind === 'pointer') this.#defaultsWithin(shape.of, value);
    else if (reachesStruct(shape)) for (const item of Object.values(value)) this.#defaultsWithin(shape.of, item);
  }

  /** Returns the normalized value, or `undefined` for Go's nil. */
  #normalized(shape: WireValue, value: unknown, omitted: OmittedField[]): unknown {
    switch (shape.kind) {
      case 'pointer':
        return value === undefined || value === null ? undefined : this.#normalized(shape.of, value, omitted);
      case 'struct':
        return this.#normalizedStruct(shape.type, value, omitted);
      case 'list':
        if (!Array.isArray(value) || value.length === 0) return undefined;
        return value.map((item) => this.#normalized(shape.of, item, omitted) ?? null);
      case 'map':
        return this.#normalizedMap(shape.of, value, omitted);
      case 'scalar':
        return canonicalScalar(shape.code, value);
    }
  }

  #normalizedStruct(type: string, value: unknown, omitted: OmittedField[]): unknown {
    if (value !== undefined && value !== null && !isFields(value)) return value;
    const object = value ?? {};
    this.#normalizeFields(type, object, omitted);
    return object;
  }

  #normalizedMap(of: WireValue, value: unknown, omitted: OmittedField[]): unknown {
    if (!isFields(value)) return undefined;
    for (const [key, item] of Object.entries(value)) {
      const next = this.#normalized(of, item, omitted) ?? null;
      if (next !== item)
        Object.defineProperty(value, key, { value: next, enumerable: true, configurable: true, writable: true });
    }
    return value;
  }

  #fields(type: string): readonly WireField[] {
    let fields = this.#structs.get(type);
    if (!fields) {
      const shape = wireShapes[type];
      if (!shape) throw new Error(`no wire shape for ${type}; regenerate wire-shapes.ts`);
      fields = Object.entries(shape).map(([name, code]) => parseField(name, code));
      this.#structs.set(type, fields);
    }
    return fields;
  }
}

function parseField(name: string, text: string): WireField {
  const [code = '', fallback] = text.split('=', 2);
  const omit = code[0] === '!' ? 'always' : code[0] === 'z' ? 'omitzero' : 'omitempty';
  return {
    name,
    omit,
    value: parseValue(code.slice(1)),
    fallback: fallback === undefined ? undefined : JSON.parse(fallback),
  };
}

function parseValue(code: string): WireValue {
  switch (code[0]) {
    case '*':
      return { kind: 'pointer', of: parseValue(code.slice(1)) };
    case '[':
      return { kind: 'list', of: parseValue(code.slice(1)) };
    case '{':
      return { kind: 'map', of: parseValue(code.slice(1)) };
    case '@':
      return { kind: 'struct', type: code.slice(1) };
    default:
      return { kind: 'scalar', code };
  }
}

function reachesStruct(shape: WireValue): boolean {
  return structWithin(shape) !== undefined;
}

function structWithin(shape: WireValue): string | undefined {
  if (shape.kind === 'struct') return shape.type;
  return shape.kind === 'scalar' ? undefined : structWithin(shape.of);
}

/** True for an empty list, map or byte slice. */
function isEmptyOf(shape: WireValue, value: unknown): boolean {
  if (shape.kind === 'list') return isEmptyList(value);
  if (shape.kind === 'scalar') return shape.code === 'y' && value === '';
  return shape.kind === 'map' && isFields(value) && Object.keys(value).length === 0;
}

/**
 * True if a value is omitted. Go's omitempty omits empty strings, lists and maps, zero and false, but never structures; omitzero
 * also omits zero structures.
 */
function isOmitted(field: WireField, value: unknown): boolean {
  const { kind } = field.value;
  if (kind === 'pointer') return value === null;
  if (kind === 'struct') return field.omit === 'omitzero' && Object.keys(value as Fields).length === 0;
  if (kind === 'scalar') return isZeroScalar(field.value.code, value, field.omit);
  return value === null || Object.keys(value as Fields).length === 0;
}

function isZeroScalar(code: string, value: unknown, omit: WireField['omit']): boolean {
  // In Go, times, quantities, raw values and int-or-strings are structures.
  if ('tuqix'.includes(code)) return omit === 'omitzero' && (value === null || value === 0 || value === '0');
  return value === '' || value === 0 || value === false || value === null;
}

function isUnset(field: WireField, value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return field.value.kind !== 'pointer' && (value === '' || value === 0);
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
