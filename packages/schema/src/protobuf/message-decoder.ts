import { formatDuration } from '@kubewright/apimachinery/internal';
import { parseJson } from '../json/parse-json.ts';
import { encodeBase64 } from './base64.ts';
import type { Message, MessageField, MessageTable } from './message-table.ts';
import { ProtobufError } from './protobuf-error.ts';
import { schemaProps } from './schema-props.ts';
import type { WireReader } from './wire-reader.ts';
import { zeroOf } from './zero-value.ts';

/** Options for {@link MessageDecoder}. */
export interface MessageDecoderOptions {
  readonly maxDepth: number;
  readonly maxValues: number;
  /** Decodes a nested object that has its own envelope. */
  readonly decodeEnvelope: (raw: Uint8Array) => unknown;
}

interface Task {
  readonly reader: WireReader;
  readonly message: Message;
  readonly depth: number;
}

/**
 * Decodes messages to plain JSON according to the message table. Use one instance per body, because the decoder counts
 * the values that it creates.
 */
export class MessageDecoder {
  readonly #table: MessageTable;
  readonly #options: MessageDecoderOptions;
  #values = 0;

  constructor(table: MessageTable, options: MessageDecoderOptions) {
    this.#table = table;
    this.#options = options;
  }

  /** Decodes a message and adds its fields to an object. */
  into(object: Record<string, unknown>, { reader, message, depth }: Task): void {
    if (depth > this.#options.maxDepth) {
      throw new ProtobufError('tooDeep', `the body exceeds the maximum depth of ${this.#options.maxDepth} levels`);
    }
    while (!reader.atEnd) {
      const tag = reader.tag();
      const field = message.fields.get(tag >>> 3);
      if (field === undefined) reader.skip(tag & 7);
      else this.#field(object, { reader, field, wireType: tag & 7, depth });
    }
  }

  #field(object: Record<string, unknown>, task: FieldTask): void {
    const { reader, field, wireType, depth } = task;
    if (field.inline) {
      this.into(object, {
        reader: this.#message(reader, wireType),
        message: this.#table.at(field.message),
        depth: depth + 1,
      });
    } else if (field.shape === 'list') this.#element(object, task);
    else if (field.shape === 'map') this.#entry(object, task);
    else {
      const value = this.#value(task);
      if (isOmitted(field, value)) delete object[field.name];
      else object[field.name] = value;
    }
  }

  #element(object: Record<string, unknown>, task: FieldTask): void {
    const { reader, field, wireType } = task;
    const old = object[field.name];
    const list: unknown[] = Array.isArray(old) ? old : [];
    object[field.name] = list;
    if (wireType === 2 && /^[bil]$/.test(field.type)) {
      // The packed encoding. Go's encoder does not use it, but other encoders may.
      const packed = reader.message();
      while (!packed.atEnd) list.push(this.#value({ ...task, reader: packed, wireType: 0 }));
    } else list.push(this.#value(task));
  }

  #entry(object: Record<string, unknown>, task: FieldTask): void {
    const { reader, field, wireType } = task;
    const old = object[field.name];
    const map: Record<string, unknown> =
      typeof old === 'object' && old !== null ? (old as Record<string, unknown>) : {};
    object[field.name] = map;
    const entry = this.#message(reader, wireType);
    let key = '';
    let value: unknown;
    while (!entry.atEnd) {
      const tag = entry.tag();
      if (tag === 0x0a) key = entry.string();
      else if (tag >>> 3 === 2) value = this.#value({ ...task, reader: entry, wireType: tag & 7 });
      else entry.skip(tag & 7);
    }
    // For a key `__proto__`, a plain assignment would set the prototype.
    Object.defineProperty(map, key, {
      value: value ?? zeroOf(field),
      writable: true,
      enumerable: true,
      configurable: true,
    });
  }

  #value({ reader, field, wireType, depth }: FieldTask): unknown {
    if (++this.#values > this.#options.maxValues) {
      throw new ProtobufError('tooLarge', `the body exceeds the maximum of ${this.#options.maxValues} values`);
    }
    switch (field.type) {
      case 's':
        expect(wireType, 2);
        return reader.string();
      case 'b':
        expect(wireType, 0);
        return reader.varint32() !== 0;
      case 'i':
        expect(wireType, 0);
        return reader.varint32();
      case 'l':
        expect(wireType, 0);
        return reader.varint64();
      case 'y':
        expect(wireType, 2);
        return encodeBase64(reader.bytes());
      case 'n':
        expect(wireType, 1);
        return reader.double();
      case '@': {
        const object: Record<string, unknown> = {};
        const message = this.#table.at(field.message);
        this.into(object, { reader: this.#message(reader, wireType), message, depth: depth + 1 });
        return object;
      }
      default:
        return this.#special(field.type, { reader: this.#message(reader, wireType), depth });
    }
  }

  #special(type: string, task: { readonly reader: WireReader; readonly depth: number }): unknown {
    const { reader, depth } = task;
    switch (type) {
      case 'Q':
        return stringsOf(reader, 1)[0] ?? '0';
      case 'I':
        return intOrString(reader);
      case 'T':
      case 'U':
        return timeOf(reader, type === 'U' ? 'micros' : 'seconds');
      case 'D':
        return formatDuration(BigInt(numbersOf(reader)[1] ?? 0));
      case 'W':
        return stringsOf(reader, 1);
      case 'R':
        return this.#raw(reader);
      default:
        return this.#schemaOr(type, { reader, depth });
    }
  }

  /** Decodes a RawExtension, whose bytes contain JSON or an object with an envelope. */
  #raw(reader: WireReader): unknown {
    let raw: Uint8Array | undefined;
    while (!reader.atEnd) {
      const tag = reader.tag();
      if (tag === 0x0a) raw = reader.bytes();
      else reader.skip(tag & 7);
    }
    if (raw === undefined || raw.length === 0) return null;
    if (raw[0] === 0x6b && raw[1] === 0x38) return this.#options.decodeEnvelope(raw);
    try {
      return parseJson(raw, { maxDepth: this.#options.maxDepth }).value;
    } catch (error) {
      throw new ProtobufError('malformed', 'a raw extension in the body is not valid JSON', { cause: error });
    }
  }

  /** Decodes a `JSONSchemaPropsOrArray` (`A`), `JSONSchemaPropsOrBool` (`B`) or `JSONSchemaPropsOrStringArray` (`L`). */
  #schemaOr(type: string, { reader, depth }: { readonly reader: WireReader; readonly depth: number }): unknown {
    const list: unknown[] = [];
    let schema: Record<string, unknown> | undefined;
    let allows = false;
    const schemaNumber = type === 'B' ? 2 : 1;
    while (!reader.atEnd) {
      const tag = reader.tag();
      if (tag === 0x08 && type === 'B') allows = reader.varint32() !== 0;
      else if ((tag & 7) !== 2) reader.skip(tag & 7);
      else if (tag >>> 3 === schemaNumber) schema = this.#schema(reader, depth);
      else if (tag >>> 3 === 2 && type === 'A') list.push(this.#schema(reader, depth));
      else if (tag >>> 3 === 2 && type === 'L') list.push(reader.string());
      else reader.skip(2);
    }
    if (type === 'B') return schema ?? allows;
    return list.length > 0 ? list : (schema ?? null);
  }

  #schema(reader: WireReader, depth: number): Record<string, unknown> {
    const schema: Record<string, unknown> = {};
    this.into(schema, { reader: reader.message(), message: this.#table.named(schemaProps), depth: depth + 1 });
    return schema;
  }

  #message(reader: WireReader, wireType: number): WireReader {
    expect(wireType, 2);
    return reader.message();
  }
}

interface FieldTask {
  readonly reader: WireReader;
  readonly field: MessageField;
  readonly wireType: number;
  readonly depth: number;
}

function expect(actual: number, wanted: number): void {
  if (actual !== wanted) {
    throw new ProtobufError('malformed', `the body is not valid protobuf: expected wire type ${wanted}, got ${actual}`);
  }
}

/** True if Go omits the value from JSON: a zero scalar with `omitempty`, or an empty structure with `omitzero`. */
function isOmitted(field: MessageField, value: unknown): boolean {
  if (field.omitEmpty)
    return value === null || (typeof value === 'object' && Object.keys(value as object).length === 0);
  if (field.keepZero || !/^[a-z]$/.test(field.type)) return false;
  return value === '' || value === 0 || value === false;
}

function stringsOf(reader: WireReader, number: number): string[] {
  const texts: string[] = [];
  while (!reader.atEnd) {
    const tag = reader.tag();
    if (tag === ((number << 3) | 2)) texts.push(reader.string());
    else reader.skip(tag & 7);
  }
  return texts;
}

/** Returns the message's varint fields by field number. */
function numbersOf(reader: WireReader): (number | bigint)[] {
  const numbers: (number | bigint)[] = [];
  while (!reader.atEnd) {
    const tag = reader.tag();
    if ((tag & 7) === 0 && tag >>> 3 <= 2) numbers[tag >>> 3] = reader.varint64();
    else reader.skip(tag & 7);
  }
  return numbers;
}

function intOrString(reader: WireReader): number | string {
  let type = 0;
  let number = 0;
  let text = '';
  while (!reader.atEnd) {
    const tag = reader.tag();
    if (tag === 0x08) type = reader.varint32();
    else if (tag === 0x10) number = reader.varint32();
    else if (tag === 0x1a) text = reader.string();
    else reader.skip(tag & 7);
  }
  return type === 0 ? number : text;
}

/** Decodes a time. An empty message is Go's zero time, which is null in JSON. */
function timeOf(reader: WireReader, precision: 'seconds' | 'micros'): string | null {
  if (reader.atEnd) return null;
  const numbers = numbersOf(reader);
  const seconds = Number(numbers[1] ?? 0);
  const nanos = Number(numbers[2] ?? 0);
  const date = new Date(seconds * 1000);
  const year = date.getUTCFullYear();
  if (!(year >= 0 && year <= 9999) || nanos < 0 || nanos > 999_999_999) {
    throw new ProtobufError('notRepresentable', `the timestamp ${seconds} s is not between the years 0 and 9999`);
  }
  const text = date.toISOString().slice(0, 19);
  if (precision === 'seconds') return `${text}Z`;
  return `${text}.${String(Math.floor(nanos / 1000)).padStart(6, '0')}Z`;
}
