/** Reads a stream in chunks of given sizes. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #early: () => Error;
  #rest: Buffer = Buffer.alloc(0);

  /** @param early - creates the error to throw if the stream ends too early */
  constructor(content: AsyncIterable<Buffer>, early: () => Error) {
    this.#chunks = content[Symbol.asyncIterator]();
    this.#early = early;
  }

  /** Reads exactly `length` bytes. */
  async read(length: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for await (const part of this.chunks(length)) parts.push(part);
    return Buffer.concat(parts);
  }

  /** Yields the next `length` bytes as they arrive. Iterating the returned object again continues with its unread bytes. */
  chunks(length: number): AsyncIterable<Buffer> {
    let left = length;
    const next = async (): Promise<IteratorResult<Buffer>> => {
      if (left === 0) return { done: true, value: undefined };
      if (this.#rest.length === 0) {
        const { done, value } = await this.#chunks.next();
        if (done) throw this.#early();
        this.#rest = value;
        return next();
      }
      const value = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(value.length);
      left -= value.length;
      return { done: false, value };
    };
    // Without `return`, so that leaving a loop early does not end the stream.
    return { [Symbol.asyncIterator]: () => ({ next }) };
  }

  /** Reads to the end of the stream. */
  async drain(): Promise<void> {
    for (;;) if ((await this.#chunks.next()).done) return;
  }
}
