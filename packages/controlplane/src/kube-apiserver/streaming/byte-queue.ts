/** A queue of bytes with one producer and one consumer. */
export class ByteQueue implements AsyncIterable<Uint8Array> {
  readonly #chunks: Uint8Array[] = [];
  #ended = false;
  #wake: (() => void) | undefined;
  #bytes = 0;
  /** Called when the queue becomes empty. */
  drained: () => void = () => {};

  /** The number of bytes in the queue. */
  get size(): number {
    return this.#bytes;
  }

  push(chunk: Uint8Array): void {
    if (this.#ended) return;
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    this.#wake?.();
  }

  /** Drops all queued bytes. */
  clear(): void {
    this.#chunks.length = 0;
    this.#bytes = 0;
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    for (;;) {
      const chunk = this.#chunks.shift();
      if (chunk) {
        this.#bytes -= chunk.length;
        yield chunk;
        if (this.#chunks.length === 0) this.drained();
      } else if (this.#ended) return;
      else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }
}
