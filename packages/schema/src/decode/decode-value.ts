import { Quantity } from '@kubewright/apimachinery';
import { setOwn } from '../json/parsed-body.ts';
import type { SchemaNode } from '../node/schema-node.ts';
import { DecodeError, type TypeMismatch } from './decode-error.ts';
import { goType, namedType, promotedName, structName } from './go-types.ts';
import { normalizeTime } from './parse-time.ts';

/** Options for {@link decodeValue}. */
export interface DecodeOptions {
  /** Numbers that are not written as integers, by path: `ParsedBody.numberTokens`. */
  readonly numberTokens?: ReadonlyMap<string, string> | undefined;
  /**
   * True if the value is a merged object: upstream then converts Go maps instead of JSON, and integers that do not fit their type
   * wrap around. @defaultValue false
   */
  readonly fromUnstructured?: boolean | undefined;
  /** Prefix of all paths, such as `metadata` if only the metadata of an object is decoded. */
  readonly path?: string | undefined;
}

/** The result of {@link decodeValue}. */
export interface Decoded {
  /** The value without unknown fields and nulls; the input itself if nothing changed. */
  readonly value: unknown;
  /** At most 100 unknown fields, in the API server's wording: `unknown field "spec.bogus"`. */
  readonly unknownFields: readonly string[];
}

const maxReported = 100;

/**
 * Decodes plain data to a type as the API server does (1.36): field names are case-sensitive; unknown fields are
 * reported and dropped; null means absent in structures, and the zero value in maps and lists; integers must be written
 * as integers and fit the type; byte fields must be base64; times are converted to UTC.
 *
 * The caller decides how to handle unknown fields (Strict: 400, Warn: a header, Ignore: nothing).
 *
 * @throws {@link DecodeError} for the value that Go's decoder reports if some do not match their types.
 */
export function decodeValue(node: SchemaNode, value: unknown, options: DecodeOptions = {}): Decoded {
  try {
    return decodeOnce(node, value, options);
  } catch (error) {
    // Go converts maps in the order of the structure's fields, so its first error may be for another value.
    if (options.fromUnstructured !== true) throw error;
    return decodeOnce(node, sortedAs(node, value), options);
  }
}

function decodeOnce(node: SchemaNode, value: unknown, options: DecodeOptions): Decoded {
  const decoder = new Decoder(options);
  const root = node.typeName ?? 'map[string]interface {}';
  if (node.type === 'object' && (typeof value !== 'object' || Array.isArray(value))) {
    throw new DecodeError(`json: cannot unmarshal ${jsonKind(value)} into Go value of type ${root}`);
  }
  const result = value === null ? {} : decoder.decode(node, value, { ...noPlace, path: options.path ?? '' });
  if (decoder.fault) throw decoder.fault;
  return { value: result, unknownFields: decoder.unknown };
}

interface Place {
  /** Path with list indexes and map keys, for unknown fields and number tokens. */
  readonly path: string;
  /** Path without list indexes and map keys, for type errors. */
  readonly field: string;
  /** The structure that contains the field. */
  readonly struct: SchemaNode | undefined;
  /** Name of the field, without its path. */
  readonly name: string;
  /** Number of lists and maps between the field and the value. */
  readonly depth: number;
}

const noPlace: Place = { path: '', field: '', struct: undefined, name: '', depth: 0 };

class Decoder {
  readonly unknown: string[] = [];
  /** The first value of a wrong type. */
  fault: DecodeError | undefined;
  private readonly options: DecodeOptions;

  constructor(options: DecodeOptions) {
    this.options = options;
  }

  /**
   * Rejects a value of a wrong type. Go's JSON decoder continues after such a value, and returns the error of a later time,
   * quantity or int-or-string instead, which their own decoders report.
   */
  private reject(error: DecodeError): undefined {
    if (this.options.fromUnstructured === true) throw error;
    this.fault ??= error;
    return undefined;
  }

  decode(node: SchemaNode, value: unknown, place: Place): unknown {
    if (node.type === 'any' || (node.preserveUnknownFields === true && node.properties === undefined)) return value;
    if (isQuantity(node)) return this.quantity(value);
    if (node.intOrString === true) return this.intOrString(value, place);
    switch (node.type) {
      case 'string':
        return this.string(node, value, place);
      case 'boolean':
        return typeof value === 'boolean' ? value : this.reject(mismatch(node, value, place));
      case 'integer':
      case 'number':
        return this.number(node, value, place);
      case 'array':
        return this.array(node, value, place);
      default:
        return this.object(node, value, place);
    }
  }

  private object(node: SchemaNode, value: unknown, place: Place): unknown {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return this.reject(mismatch(node, value, place));
    }
    const record = value as Record<string, unknown>; // not an array, as checked above
    return node.properties === undefined && node.additionalProperties !== undefined
      ? this.map(node.additionalProperties, record, place)
      : this.struct(node, record, place);
  }

  private struct(node: SchemaNode, record: Readonly<Record<string, unknown>>, place: Place): unknown {
    const owner = structName(node);
    let changed: Record<string, unknown> | undefined;
    for (const key of Object.keys(record)) {
      const property = node.properties?.get(key);
      const item = record[key];
      if (property === undefined) {
        if (node.preserveUnknownFields === true) continue;
        if (this.unknown.length < maxReported) this.unknown.push(`unknown field ${quote(join(place.path, key))}`);
        changed ??= { ...record };
        delete changed[key];
        continue;
      }
      if (item === null) {
        if (property.type === 'any') continue;
        changed ??= { ...record };
        delete changed[key];
        continue;
      }
      const decoded = this.decode(property, item, {
        path: join(place.path, key),
        field: join(place.field, promotedName(owner, key)),
        struct: node,
        name: key,
        depth: 0,
      });
      if (decoded !== item) {
        changed ??= { ...record };
        changed[key] = decoded;
      }
    }
    return changed ?? record;
  }

  private map(values: SchemaNode, record: Readonly<Record<string, unknown>>, place: Place): unknown {
    let changed: Record<string, unknown> | undefined;
    for (const key of Object.keys(record)) {
      const item = record[key];
      const decoded =
        item === null
          ? zeroValue(values)
          : this.decode(values, item, { ...place, path: join(place.path, key), depth: place.depth + 1 });
      if (decoded !== item) {
        if (changed === undefined) changed = copyRecord(record);
        setOwn(changed, key, decoded);
      }
    }
    return changed ?? record;
  }

  private array(node: SchemaNode, value: unknown, place: Place): unknown {
    if (!Array.isArray(value)) return this.reject(mismatch(node, value, place));
    const items = node.items;
    if (items === undefined) return value;
    let changed: unknown[] | undefined;
    for (let i = 0; i < value.length; i++) {
      const item: unknown = value[i];
      const decoded =
        item === null
          ? zeroValue(items)
          : this.decode(items, item, { ...place, path: `${place.path}[${i}]`, depth: place.depth + 1 });
      if (decoded !== item) {
        changed ??= [...value];
        changed[i] = decoded;
      }
    }
    return changed ?? value;
  }

  private string(node: SchemaNode, value: unknown, place: Place): unknown {
    const isTime = node.format === 'date-time';
    if (typeof value !== 'string') {
      const error = mismatch(node, value, place);
      if (isTime) throw error;
      return this.reject(error);
    }
    if (isTime) {
      return normalizeTime(value, node.typeName?.endsWith('MicroTime') === true ? 'micros' : 'seconds');
    }
    if (node.format !== 'byte') return value;
    try {
      return checkBase64(value);
    } catch (error) {
      if (error instanceof DecodeError) return this.reject(error);
      throw error;
    }
  }

  private number(node: SchemaNode, value: unknown, place: Place): unknown {
    const type = goType(node);
    if (typeof value !== 'number' && typeof value !== 'bigint') return this.reject(mismatch(node, value, place));
    if (this.options.fromUnstructured === true && type === 'int32' && isWhole(value)) return wrapped(value);
    if (node.type === 'number') return Number(value);
    if (typeof value === 'bigint' && type === 'int64') return value;
    const token = this.options.numberTokens?.get(place.path);
    if (token !== undefined || typeof value === 'bigint' || !Number.isInteger(value) || !fitsInteger(value, type)) {
      const message = `json: cannot unmarshal number ${token ?? value} into Go struct field ${where(place)} of type ${type}`;
      const found = isWhole(value) ? 'number' : 'fraction';
      return this.reject(new DecodeError(message, { found, type, kind: kindOf(node) }));
    }
    return value;
  }

  private intOrString(value: unknown, place: Place): unknown {
    if (typeof value === 'string') return value;
    const token = this.options.numberTokens?.get(place.path);
    if (token === undefined && Number.isInteger(value) && fitsInteger(value as number, 'int32')) return value;
    const kind = jsonKind(value);
    const shown = kind === 'number' ? `number ${token ?? String(value)}` : kind;
    throw new DecodeError(`json: cannot unmarshal ${shown} into Go struct field ${where(place)} of type int32`, {
      found: kind === 'number' && !isWhole(value) ? 'fraction' : kind,
      type: 'int32',
      kind: 'unmarshaler',
      shown,
    });
  }

  private quantity(value: unknown): unknown {
    const text = typeof value === 'number' || typeof value === 'bigint' ? String(value) : value;
    const canonical = typeof text === 'string' ? Quantity.tryParse(text)?.toString() : undefined;
    if (canonical !== undefined) return canonical;
    const isForm = typeof text === 'string' && /^[+-]?[0-9.]+[eEinumkKMGTP]*[-+]?[0-9]*$/.test(text);
    throw new DecodeError(
      isForm
        ? "unable to parse quantity's suffix"
        : "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    );
  }
}

/** Returns a value with its fields in the order of the type. */
function sortedAs(node: SchemaNode | undefined, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || node === undefined) return value;
  if (Array.isArray(value)) return value.map((item) => sortedAs(node.items, item));
  const record = value as Readonly<Record<string, unknown>>; // not an array, as checked above
  const { properties } = node;
  const known = properties ? [...properties.keys()].filter((key) => Object.hasOwn(record, key)) : [];
  const entries = [...new Set([...known, ...Object.keys(record)])].map((key): [string, unknown] => [
    key,
    sortedAs(properties?.get(key) ?? node.additionalProperties, record[key]),
  ]);
  return Object.fromEntries(entries);
}

function isWhole(value: unknown): boolean {
  return typeof value === 'bigint' || Number.isInteger(value);
}

/** Converts an integer to int32 as Go does: keeps the lowest 32 bits. */
function wrapped(value: number | bigint): number {
  if (typeof value === 'number' && fitsInteger(value, 'int32')) return value;
  return Number(BigInt.asIntN(32, BigInt(value)));
}

function isQuantity(node: SchemaNode): boolean {
  return node.typeName === 'resource.Quantity' || node.format === 'quantity';
}

function mismatch(node: SchemaNode, value: unknown, place: Place): DecodeError {
  const goName = goType(node);
  const number = typeof value === 'number' && /^u?int\d+$|^float/.test(goName) ? `number ${value}` : jsonKind(value);
  const type = namedType(place) ?? goName;
  const found = typeof value === 'number' && !Number.isInteger(value) ? 'fraction' : jsonKind(value);
  return new DecodeError(`json: cannot unmarshal ${number} into Go struct field ${where(place)} of type ${type}`, {
    found,
    type,
    kind: kindOf(node),
  });
}

function kindOf(node: SchemaNode): TypeMismatch['kind'] {
  if (node.format === 'date-time' || node.intOrString === true) return 'unmarshaler';
  switch (node.type) {
    case 'string':
      return node.format === 'byte' ? 'slice' : 'string';
    case 'boolean':
      return 'bool';
    case 'integer':
      return node.format === 'int64' ? 'int64' : 'int32';
    case 'number':
      return 'float64';
    case 'array':
      return 'slice';
    default:
      return node.additionalProperties !== undefined && node.properties === undefined ? 'map' : 'struct';
  }
}

function where(place: Place): string {
  return `${place.struct ? structName(place.struct) : ''}.${place.field}`;
}

function jsonKind(value: unknown): Exclude<TypeMismatch['found'], 'fraction'> {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'bigint') return 'number';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return 'number';
  return typeof value === 'string' ? 'string' : 'object';
}

function fitsInteger(value: number, type: string): boolean {
  return type === 'int32' ? value >= -(2 ** 31) && value < 2 ** 31 : value >= -(2 ** 63) && value < 2 ** 63;
}

function zeroValue(node: SchemaNode): unknown {
  if (isQuantity(node)) return '0';
  if (node.intOrString === true) return 0;
  switch (node.type) {
    case 'string':
      return node.format === 'date-time' ? null : '';
    case 'integer':
    case 'number':
      return 0;
    case 'boolean':
      return false;
    case 'object':
      return node.properties === undefined ? null : {};
    default:
      return null;
  }
}

function checkBase64(text: string): string {
  const plain = text.replace(/[\r\n]/g, '');
  const bad = /[^A-Za-z0-9+/]/.exec(plain.replace(/={1,2}$/, ''));
  if (bad !== null) throw new DecodeError(`illegal base64 data at input byte ${bad.index}`);
  if (plain.length % 4 !== 0) {
    throw new DecodeError(`illegal base64 data at input byte ${plain.length - (plain.length % 4)}`);
  }
  return plain;
}

function copyRecord(record: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return { ...record }; // unlike an assignment, spreading copies `__proto__` as an own key
}

function join(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}

function quote(text: string): string {
  return JSON.stringify(text);
}
