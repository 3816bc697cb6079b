import { MalformedJsonError } from './json-bytes.ts';
import { asBuffer } from './list-splitter.ts';

const newline = 0x0a;
const longestLine = 64 * 1024 * 1024;

/** Called for each line: its bytes are `bytes[start, end)`, valid until the callback returns. */
export type LineCallback = (bytes: Buffer, start: number, end: number) => void;

/**
 * Splits a stream into lines at `\n` only: U+2028 and similar characters are ordinary content. A last line without a line feed
 * was cut off and is never reported.
 */
export class LineSplitter {
  readonly #onLine: LineCallback;
  #carry: Buffer[] = [];
  #carried = 0;

  constructor(onLine: LineCallback) {
    this.#onLine = onLine;
  }

  push(chunk: Uint8Array): void {
    const bytes = asBuffer(chunk);
    let at = 0;
    for (;;) {
      const end = bytes.indexOf(newline, at);
      if (end < 0) break;
      if (this.#carried > 0) this.#joined(bytes.subarray(at, end));
      else if (end > at) this.#onLine(bytes, at, end);
      at = end + 1;
    }
    if (at < bytes.length) this.#keep(bytes.subarray(at));
  }

  #joined(rest: Buffer): void {
    const line = Buffer.concat([...this.#carry, rest]);
    this.#carry = [];
    this.#carried = 0;
    this.#onLine(line, 0, line.length);
  }

  #keep(bytes: Buffer): void {
    this.#carried += bytes.length;
    if (this.#carried > longestLine) throw new MalformedJsonError('a watch event of more than 64 MiB');
    // Copy the bytes: the chunk belongs to the transport.
    this.#carry.push(Buffer.from(bytes));
  }
}
