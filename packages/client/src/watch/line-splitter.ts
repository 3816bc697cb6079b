const newline = 0x0a;

/** Called for each line, which is `bytes[start, end)`. The bytes are valid until the callback returns. */
export type LineCallback = (bytes: Buffer, start: number, end: number) => void;

/** Options for {@link LineSplitter}. */
export interface LineSplitterOptions {
  readonly onLine: LineCallback;
  /** Returns the error for a line that is too long. */
  readonly tooLong: (maxLineBytes: number) => Error;
  /** @defaultValue 64 MiB: far above etcd's object limit (1.5 MiB), far below a harmful size */
  readonly maxLineBytes?: number | undefined;
}

/**
 * Splits a byte stream into lines at `\n` only, without decoding it: U+2028 and similar characters are ordinary
 * content. Empty lines are skipped. A last line without a line feed counts as truncated and is never reported.
 */
export class LineSplitter {
  readonly #onLine: LineCallback;
  readonly #tooLong: (maxLineBytes: number) => Error;
  readonly #maxLineBytes: number;
  #parts: Buffer[] = [];
  #pending = 0;

  constructor({ onLine, tooLong, maxLineBytes = 64 << 20 }: LineSplitterOptions) {
    this.#onLine = onLine;
    this.#tooLong = tooLong;
    this.#maxLineBytes = maxLineBytes;
  }

  /** Size of the incomplete last line, in bytes. */
  get pendingBytes(): number {
    return this.#pending;
  }

  /**
   * Processes a chunk and keeps no reference to it. If a line is too long, reports the lines before it, then throws the
   * error from `tooLong`.
   */
  push(chunk: Uint8Array): void {
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let start = 0;
    for (;;) {
      const end = bytes.indexOf(newline, start);
      const stop = end < 0 ? bytes.length : end;
      if (this.#pending + stop - start > this.#maxLineBytes) this.#fail();
      if (end < 0) break;
      if (this.#pending > 0) this.#complete(bytes.subarray(start, end));
      else if (end > start) this.#onLine(bytes, start, end);
      start = end + 1;
    }
    if (start < bytes.length) {
      // Copy the bytes, because the chunk belongs to the transport.
      this.#parts.push(Buffer.from(bytes.subarray(start)));
      this.#pending += bytes.length - start;
    }
  }

  #complete(rest: Buffer): void {
    this.#parts.push(rest);
    const line = Buffer.concat(this.#parts, this.#pending + rest.length);
    this.#reset();
    this.#onLine(line, 0, line.length);
  }

  #fail(): never {
    this.#reset();
    throw this.#tooLong(this.#maxLineBytes);
  }

  #reset(): void {
    this.#parts = [];
    this.#pending = 0;
  }
}
