import { parseDurationMs } from '@kubewright/apimachinery';
import { stringifyJson } from '@kubewright/apimachinery/internal';
import type { Message, MessageField, MessageTable } from './message-table.ts';
import { schemaProps } from './schema-props.ts';
import type { WireWriter } from './wire-writer.ts';
import { zeroOf } from './zero-value.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Encodes plain JSON according to the message table. Writes fields in descending order, because the writer writes
 * backwards. Skips fields that the table does not contain.
 */
export class MessageEncoder {
  readonly #table: MessageTable;
  readonly #to: WireWriter;

  constructor(table: MessageTable, to: WireWriter) {
    this.#table = table;
    this.#to = to;
  }

  /** Writes the fields of an object. */
  fields(message: Message, object: Fields): void {
    for (const [number, field] of message.descending) {
      if (field.inline) this.#inline(number, field, object);
      else {
        const value = Object.hasOwn(object, field.name) ? object[field.name] : undefined;
        if (value === undefined) continue;
        if (value === null) this.#null(number, field);
        else if (field.shape === 'list') this.#list(number, field, value);
        else if (field.shape === 'map') this.#map(number, field, value);
        else this.#value(number, field, value);
      }
    }
  }

  /** Writes a null: a time becomes an empty message, Go's zero time; other fields are omitted. */
  #null(number: number, field: MessageField): void {
    if (field.type === 'T' || field.type === 'U') this.#to.message(number, this.#to.length);
  }

  /** Writes fields that JSON keeps in the enclosing object but protobuf keeps in a nested message. */
  #inline(number: number, field: MessageField, object: Fields): void {
    const before = this.#to.length;
    this.fields(this.#table.at(field.message), object);
    if (this.#to.length > before) this.#to.message(number, before);
  }

  #list(number: number, field: MessageField, value: unknown): void {
    const list = value as readonly unknown[];
    // Go's lists contain no nulls, so a null becomes the zero value.
    for (let i = list.length - 1; i >= 0; i--) this.#value(number, field, list[i] ?? zeroOf(field));
  }

  /** Writes the entries of a map sorted by key, as Go does. */
  #map(number: number, field: MessageField, value: unknown): void {
    const map = value as Fields;
    for (const key of Object.keys(map).sort().reverse()) {
      const before = this.#to.length;
      this.#value(2, field, map[key] ?? zeroOf(field));
      this.#to.string(1, key);
      this.#to.message(number, before);
    }
  }

  #value(number: number, field: MessageField, value: unknown): void {
    const to = this.#to;
    switch (field.type) {
      case 's':
        to.string(number, value as string);
        return;
      case 'b':
        to.varint(value === true ? 1 : 0);
        to.tag(number, 0);
        return;
      case 'i':
      case 'l':
        to.integer(value as number | bigint);
        to.tag(number, 0);
        return;
      case 'n':
        to.double(Number(value));
        to.tag(number, 1);
        return;
      case 'y':
        to.bytes(number, Buffer.from(value as string, 'base64'));
        return;
      default: {
        const before = to.length;
        if (field.type === '@') this.fields(this.#table.at(field.message), value as Fields);
        else this.#special(field.type, value);
        to.message(number, before);
      }
    }
  }

  /** Writes the content of a message that JSON represents in a special form, such as a string. */
  #special(type: string, value: unknown): void {
    const to = this.#to;
    switch (type) {
      case 'Q':
        to.string(1, String(value));
        return;
      case 'I':
        this.#intOrString(value);
        return;
      case 'T':
      case 'U':
        this.#time(value as string, type === 'U');
        return;
      case 'D':
        to.integer(Math.round(parseDurationMs(value as string) * 1e6));
        to.tag(1, 0);
        return;
      case 'W':
        for (const text of (value as readonly string[]).toReversed()) to.string(1, text);
        return;
      case 'R':
        to.bytes(1, Buffer.from(stringifyJson(value)));
        return;
      default:
        this.#schemaOr(type, value);
    }
  }

  #intOrString(value: unknown): void {
    const to = this.#to;
    const isText = typeof value === 'string';
    to.string(3, isText ? value : '');
    to.integer(isText ? 0 : (value as number));
    to.tag(2, 0);
    to.varint(isText ? 1 : 0);
    to.tag(1, 0);
  }

  #time(text: string, hasMicros: boolean): void {
    const to = this.#to;
    const ms = Date.parse(text);
    const micros = hasMicros ? Number((/\.(\d{1,6})/.exec(text)?.[1] ?? '').padEnd(6, '0')) : 0;
    to.integer(micros * 1_000);
    to.tag(2, 0);
    to.integer(Math.floor(ms / 1_000));
    to.tag(1, 0);
  }

  /** Writes a `JSONSchemaPropsOrArray` (`A`), `JSONSchemaPropsOrBool` (`B`) or `JSONSchemaPropsOrStringArray` (`L`). */
  #schemaOr(type: string, value: unknown): void {
    const to = this.#to;
    if (typeof value === 'boolean') {
      to.varint(value ? 1 : 0);
      to.tag(1, 0);
    } else if (!Array.isArray(value)) {
      this.#schema(type === 'B' ? 2 : 1, value);
      // As in upstream, `allows` is true if there is a schema.
      if (type === 'B') {
        to.varint(1);
        to.tag(1, 0);
      }
    } else {
      for (const item of (value as readonly unknown[]).toReversed()) {
        if (type === 'L') to.string(2, item as string);
        else this.#schema(2, item);
      }
    }
  }

  #schema(number: number, value: unknown): void {
    const before = this.#to.length;
    this.fields(this.#table.named(schemaProps), value as Fields);
    this.#to.message(number, before);
  }
}
