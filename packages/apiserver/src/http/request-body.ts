import type { Readable } from 'node:stream';
import type { Clock } from '@kubewright/apimachinery';
import { bodyTooSlow, tooLarge } from './status-response.ts';

/** Limits of one body. */
export interface RequestBodyOptions {
  /** The maximum size in bytes. */
  readonly limit: number;
  /** The length declared by the client, if any. */
  readonly declared: string | undefined;
  /** Timeout for the complete body, from the start of reading. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** Called once, when reading starts. */
  readonly onStart?: () => void;
}

/**
 * A request body that is still arriving. The body is not read until it is needed, so an unauthorized caller costs
 * nothing. The body can be read only once.
 */
export class RequestBody implements AsyncIterable<Uint8Array> {
  readonly #stream: Readable;
  readonly #limit: number;
  readonly #declared: number;
  readonly #options: RequestBodyOptions;

  constructor(stream: Readable, options: RequestBodyOptions) {
    this.#stream = stream;
    this.#limit = options.limit;
    this.#declared = Number(options.declared ?? 0);
    this.#options = options;
  }

  /**
   * Reads the whole body.
   *
   * @throws StatusError 413 when it is larger than the limit, 504 when it takes too long.
   */
  bytes(): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      if (this.#declared > this.#limit) {
        reject(tooLarge(this.#limit));
        return;
      }
      const { clock, timeoutMs, onStart } = this.#options;
      const stream = this.#stream;
      let chunks: Uint8Array[] = [];
      let length = 0;
      const fail = (error: Error): void => {
        deadline[Symbol.dispose]();
        chunks = []; // drop everything that still arrives
        reject(error);
      };
      const deadline = clock.setTimer(timeoutMs, () => fail(bodyTooSlow(timeoutMs)), { unref: true });
      stream.on('data', (chunk: Uint8Array) => {
        length += chunk.length;
        if (length > this.#limit) fail(tooLarge(this.#limit));
        else chunks.push(chunk);
      });
      stream.once('end', () => {
        deadline[Symbol.dispose]();
        resolve(chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks));
      });
      stream.once('error', fail);
      stream.once('close', () => {
        if (!stream.readableEnded) fail(new Error('the client disconnected before the end of its request'));
      });
      onStart?.();
    });
  }

  /**
   * Yields the whole body in one chunk: no caller can use a partial body, and iterating over the stream itself costs as
   * much as a small request.
   */
  async *[Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    yield await this.bytes();
  }
}

/**
 * Reads a request's whole body. Returns an empty array for a request without a body.
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
