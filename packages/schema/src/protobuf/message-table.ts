import { protobufTable } from '../generated/protobuf-table.ts';

/** One message of the table, taken apart. */
export interface Message {
  /** Name of its definition: `io.k8s.api.core.v1.Pod`. */
  readonly name: string;
  readonly fields: ReadonlyMap<number, MessageField>;
}

/** One field of a message. */
export interface MessageField {
  /** Its name in JSON. */
  readonly name: string;
  readonly shape: 'single' | 'list' | 'map';
  /** `s`, `b`, `i`, `l`, `y`, `n`, a capital for forms of their own, `@` for a message. */
  readonly type: string;
  /** Index of the message, for type `@`. */
  readonly message: number;
  /** Its fields belong to the message around it. */
  readonly inline: boolean;
  /** Kept when zero: a pointer, or always written in JSON. */
  readonly keepZero: boolean;
  /** Left out when empty. */
  readonly omitEmpty: boolean;
}

/** The generated table: messages are found by name at once and taken apart when they are asked for. */
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

  /** The message of that name, which must be there. */
  named(name: string): Message {
    const index = this.#byName.get(name);
    if (index === undefined) throw new Error(`the protobuf table lacks ${name}: run scripts/generate-builtin.mjs`);
    return this.at(index);
  }
}

function nameOf(line: string): string {
  const tab = line.indexOf('\t');
  return tab < 0 ? line : line.slice(0, tab);
}

function parseMessage(line: string): Message {
  const [name = '', ...fields] = line.split('\t');
  return { name, fields: new Map(fields.map(parseField)) };
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
