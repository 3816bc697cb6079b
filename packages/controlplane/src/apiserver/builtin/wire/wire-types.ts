import { wireShapes } from '../generated/wire-shapes.ts';
import { canonicalScalar } from './canonical-scalar.ts';

/** How one value is written: what it is, whether it is behind a pointer, what stands for its absence. */
interface WireField {
  readonly name: string;
  /** `always` is written even when zero; `omitempty` and `omitzero` as Go's encoder means them. */
  readonly omit: 'always' | 'omitempty' | 'omitzero';
  readonly value: WireValue;
  /** A default declared beside the field. */
  readonly fallback: unknown;
}

type WireValue =
  | { readonly kind: 'pointer' | 'list' | 'map'; readonly of: WireValue }
  | { readonly kind: 'struct'; readonly type: string }
  | { readonly kind: 'scalar'; readonly code: string };

/** Any JSON object that is still being worked on. */
export type Fields = Record<string, unknown>;

/** Sets defaults of one structure, wherever it stands; the structure has been normalised. */
export type StructDefaults = (value: Fields) => void;

/**
 * The built-in types as Go's encoder writes them: which empty values vanish, which stay, which zero values appear that
 * nobody sent (`status: {}`, `replicas: 0`, `rules: null`). Upstream this is a side effect of decoding into structures
 * and encoding again; stored objects show it, so we do it on purpose.
 */
export class WireTypes {
  readonly #structs = new Map<string, readonly WireField[]>();
  readonly #defaults: ReadonlyMap<string, StructDefaults>;

  /** @param defaults - by structure name (`v1.Probe`); run parents first, as upstream's generated code does. */
  constructor(defaults: ReadonlyMap<string, StructDefaults>) {
    this.#defaults = defaults;
  }

  /** Brings an object into the form in which it is stored. Changes it in place; unknown fields stay. */
  normalise(type: string, object: Fields): void {
    for (const field of this.#fields(type)) {
      const given = Object.hasOwn(object, field.name) ? object[field.name] : undefined;
      const value = this.#normalised(field.value, given);
      const absent = value === undefined || (field.omit !== 'always' && isOmitted(field, value));
      if (!absent) object[field.name] = value;
      else if (field.omit === 'always') object[field.name] = null;
      else if (given !== undefined) delete object[field.name];
    }
  }

  /** Fills every default of an object that was normalised. */
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

  /** Makes what stands in a field of this structure type when nothing was given. */
  zero(type: string): Fields {
    const object: Fields = {};
    this.normalise(type, object);
    return object;
  }

  #defaultsWithin(shape: WireValue, value: unknown): void {
    if (typeof value !== 'object' || value === null || shape.kind === 'scalar') return;
    if (shape.kind === 'struct') this.applyDefaults(shape.type, value as Fields);
    else if (shape.kind === 'pointer') this.#defaultsWithin(shape.of, value);
    else if (reachesStruct(shape)) for (const item of Object.values(value)) this.#defaultsWithin(shape.of, item);
  }

  /** `undefined` stands for Go's nil. */
  #normalised(shape: WireValue, value: unknown): unknown {
    switch (shape.kind) {
      case 'pointer':
        return value === undefined || value === null ? undefined : this.#normalised(shape.of, value);
      case 'struct':
        return this.#normalisedStruct(shape.type, value);
      case 'list':
        // Built-in kinds are stored as protobuf upstream, which cannot tell an empty list from none.
        if (!Array.isArray(value) || value.length === 0) return undefined;
        return value.map((item) => this.#normalised(shape.of, item) ?? null);
      case 'map':
        return this.#normalisedMap(shape.of, value);
      case 'scalar':
        return canonicalScalar(shape.code, value);
    }
  }

  #normalisedStruct(type: string, value: unknown): unknown {
    if (value !== undefined && value !== null && !isFields(value)) return value;
    const object = value ?? {};
    this.normalise(type, object);
    return object;
  }

  #normalisedMap(of: WireValue, value: unknown): unknown {
    if (!isFields(value)) return undefined;
    for (const [key, item] of Object.entries(value)) {
      const next = this.#normalised(of, item) ?? null;
      if (next !== item)
        Object.defineProperty(value, key, { value: next, enumerable: true, configurable: true, writable: true });
    }
    return value;
  }

  #fields(type: string): readonly WireField[] {
    let fields = this.#structs.get(type);
    if (!fields) {
      const shape = wireShapes[type];
      if (!shape) throw new Error(`no wire shape is known for ${type}; generate wire-shapes.ts anew`);
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
  return shape.kind === 'struct' || (shape.kind !== 'scalar' && reachesStruct(shape.of));
}

/** Go's omitempty knows empty strings, lists and maps, zero and false; never structures. Omitzero knows those too. */
function isOmitted(field: WireField, value: unknown): boolean {
  const { kind } = field.value;
  if (kind === 'pointer') return value === null;
  if (kind === 'struct') return field.omit === 'omitzero' && Object.keys(value as Fields).length === 0;
  if (kind === 'scalar') return isZeroScalar(field.value.code, value, field.omit);
  return value === null || Object.keys(value as Fields).length === 0;
}

function isZeroScalar(code: string, value: unknown, omit: WireField['omit']): boolean {
  // Times, quantities, raw values and int-or-strings are structures to Go.
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
