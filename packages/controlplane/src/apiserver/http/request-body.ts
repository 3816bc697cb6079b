import type { Readable } from 'node:stream';
import { tooLarge } from './status-response.ts';

/**
 * A body that is still on its way. Nothing is read before somebody asks, so a caller who may not send costs nothing.
 * Can be read once.
 */
export class RequestBody implements AsyncIterable<Uint8Array> {
  readonly #stream: Readable;
  readonly #limit: number;
  readonly #declared: number;
  readonly #onStart: (() => void) | undefined;

  constructor(
    stream: Readable,
    options: { readonly limit: number; readonly declared: string | undefined; readonly onStart?: () => void },
  ) {
    this.#stream = stream;
    this.#limit = options.limit;
    this.#declared = Number(options.declared ?? 0);
    this.#onStart = options.onStart;
  }

  /**
   * Reads all of it.
   *
   * @throws StatusError 413 when it is larger than the limit.
   */
  bytes(): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      if (this.#declared > this.#limit) {
        reject(tooLarge(this.#limit));
        return;
      }
      const chunks: Uint8Array[] = [];
      let length = 0;
      const stream = this.#stream;
      stream.on('data', (chunk: Uint8Array) => {
        length += chunk.length;
        if (length > this.#limit) reject(tooLarge(this.#limit));
        else chunks.push(chunk);
      });
      stream.once('end', () =>
        resolve(chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks, length)),
      );
      stream.once('error', reject);
      stream.once('close', () => {
        if (!stream.readableEnded) reject(new Error('the client went away before the end of its request'));
      });
      this.#onStart?.();
    });
  }

  /** All of it at once: nobody here can use half a body, and a stream's own iterator costs as much as a small request. */
  async *[Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    yield await this.bytes();
  }
}

/**
 * Reads a request's whole body; empty when there is none.
 *
 * @throws StatusError 413 when it is larger than `limit` bytes (@defaultValue 3 MiB).
 */
export async function readBody(
  body: Uint8Array | AsyncIterable<Uint8Array> | undefined,
  limit: number = 3 * 1024 * 1024,
): Promise<Uint8Array> {
  if (body === undefined) return new Uint8Array(0);
  if (body instanceof RequestBody) return body.bytes();
  if (body instanceof Uint8Array) {
    if (body.length > limit) throw tooLarge(limit);
    return body;
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > limit) throw tooLarge(limit);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}
