import { Buffer } from 'node:buffer';

/** Reads a stream in chunks of the size that the caller requests. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#chunks = source[Symbol.asyncIterator]();
  }

  /** Returns the next `size` bytes, or fewer at the end of the stream. */
  async read(size: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for await (const part of this.pieces(size)) parts.push(part);
    return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
  }

  /** Yields the next `size` bytes as they arrive, or fewer at the end of the stream. */
  async *pieces(size: number): AsyncGenerator<Buffer, void> {
    let missing = size;
    while (missing > 0) {
      if (this.#rest.length === 0) {
        const { done, value } = await this.#chunks.next();
        if (done) return;
        this.#rest = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
      }
      const piece = this.#rest.subarray(0, missing);
      this.#rest = this.#rest.subarray(piece.length);
      missing -= piece.length;
      if (piece.length > 0) yield piece;
    }
  }
}
