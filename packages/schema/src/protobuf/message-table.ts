import { protobufTable } from '../generated/protobuf-table.ts';

/** One parsed message of the table. */
export interface Message {
  /** Name of the definition: `io.k8s.api.core.v1.Pod`. */
  readonly name: string;
  readonly fields: ReadonlyMap<number, MessageField>;
  /** The same fields, highest number first. */
  readonly descending: readonly (readonly [number, MessageField])[];
}

/** One field of a message. */
export interface MessageField {
  /** Name in JSON. */
  readonly name: string;
  readonly shape: 'single' | 'list' | 'map';
  /**
   * The value's type: `s`, `b`, `i`, `l`, `y` or `n` for scalars, a capital letter for special JSON forms, `@` for a
   * message.
   */
  readonly type: string;
  /** Index of the nested message if the type is `@`. */
  readonly message: number;
  /** True if JSON keeps the message's fields in the enclosing object. */
  readonly inline: boolean;
  /** True if JSON contains the field even if it is zero: the Go field is a pointer, or has no `omitempty`. */
  readonly keepZero: boolean;
  /** True if JSON omits the field if it is an empty structure (`omitzero`). */
  readonly omitEmpty: boolean;
}

/** The generated table of protobuf messages. Finds messages by name and parses them on demand. */
export class MessageTable {
  readonly #lines: readonly string[];
  readonly #byName: ReadonlyMap<string, number>;
  readonly #messages = new Map<number, Message>();

  constructor() {
    this.#lines = protobufTable.split('\n');
    this.#byName = new Map(this.#lines.map((line, index) => [nameOf(line), index]));
  }

  indexOf(name: string): number | undefined {
    return this.#byName.get(name);
  }

  at(index: number): Message {
    let message = this.#messages.get(index);
    if (message === undefined) {
      message = parseMessage(this.#lines[index] ?? '');
      this.#messages.set(index, message);
    }
    return message;
  }

  /** Returns the message with the given name. @throws Error if the table does not contain the message */
  named(name: string): Message {
    const index = this.#byName.get(name);
    if (index === undefined)
      throw new Error(`${name} is missing from the protobuf table; run node scripts/generate-builtin.mjs`);
    return this.at(index);
  }
}

function nameOf(line: string): string {
  const tab = line.indexOf('\t');
  return tab < 0 ? line : line.slice(0, tab);
}

function parseMessage(line: string): Message {
  const [name = '', ...texts] = line.split('\t');
  const fields = texts.map(parseField); // the table is sorted by number
  return { name, fields: new Map(fields), descending: fields.toReversed() };
}

function parseField(text: string): [number, MessageField] {
  const [number, name = '', code = '', flags = ''] = text.split(' ');
  const shape = code.startsWith('[') ? 'list' : code.startsWith('{') ? 'map' : 'single';
  const type = shape === 'single' ? code : code.slice(1);
  const reference = type.startsWith('@');
  return [
    Number(number),
    {
      name,
      shape,
      type: reference ? '@' : type,
      message: reference ? Number(type.slice(1)) : -1,
      inline: flags.includes('i'),
      keepZero: flags.includes('k'),
      omitEmpty: flags.includes('z'),
    },
  ];
}
