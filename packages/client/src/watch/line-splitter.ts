import { TransportError } from '../transport/transport-error.ts';

/** Maximum line length of a watch: far above etcd's object limit (1.5 MiB), far below a harmful size. */
const defaultMaxLineBytes = 64 << 20;

const newline = 0x0a;

/**
 * Splits a byte stream into lines, without decoding it. A line is a view of its chunk, or a new buffer if it spans chunks; it
 * does not include the line feed. Empty lines are skipped.
 */
export class LineSplitter {
  readonly #maxLineBytes: number;
  #parts: Uint8Array[] = [];
  #pending = 0;

  /** @param maxLineBytes - a longer line is an error. @defaultValue 64 MiB */
  constructor(maxLineBytes: number = defaultMaxLineBytes) {
    this.#maxLineBytes = maxLineBytes;
  }

  /** Bytes of the incomplete last line. */
  get pendingBytes(): number {
    return this.#pending;
  }

  /**
   * Processes a chunk and calls `line` for each line that it completes.
   * @throws TransportError `KW2005` if a line is longer than the limit.
   */
  push(chunk: Uint8Array, line: (bytes: Uint8Array) => void): void {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(newline, start);
      const stop = end < 0 ? chunk.byteLength : end;
      if (this.#pending + stop - start > this.#maxLineBytes) this.#tooLong();
      if (end < 0) break;
      const tail = chunk.subarray(start, end);
      const complete = this.#pending === 0 ? tail : this.#join(tail);
      if (complete.byteLength > 0) line(complete);
      start = end + 1;
    }
    if (start < chunk.byteLength) {
      this.#parts.push(chunk.subarray(start));
      this.#pending += chunk.byteLength - start;
    }
  }

  #join(tail: Uint8Array): Uint8Array {
    this.#parts.push(tail);
    const joined = Buffer.concat(this.#parts, this.#pending + tail.byteLength);
    this.#parts = [];
    this.#pending = 0;
    return joined;
  }

  #tooLong(): never {
    this.#parts = [];
    this.#pending = 0;
    throw new TransportError(
      'KW2005',
      { what: 'the watch failed', why: `a line is longer than ${this.#maxLineBytes} bytes` },
      { sent: true },
    );
  }
}
