import type { Readable } from 'node:stream';
import { createGunzip, type Gunzip } from 'node:zlib';
import type { BodyStream } from '../transport.ts';
import { TransportError } from '../transport-error.ts';

/** Number of bytes to buffer for a slow reader before the stream is paused. */
const highWater = 128 << 10;

/** Options for {@link StreamBody}. */
export interface StreamBodyOptions {
  /** Called when the stream ends, fails or closes; returns undefined if the body is complete. */
  readonly fault: (event: 'end' | 'close' | 'error', cause?: unknown) => TransportError | undefined;
  /** Resets the stream; called at most once, if the body is abandoned before its end. */
  readonly cancel: () => void;
  /** Called once when the stream is finished for any reason. */
  readonly finished: () => void;
  /** Maximum size of the decoded body, in bytes. */
  readonly limit?: number | undefined;
  readonly gzip: boolean;
  /** True if no two chunks of the stream share memory. @defaultValue false */
  readonly ownsPieces?: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Names the request in messages. */
  readonly what: string;
}

/** A buffer whose memory can be transferred; TypeScript's ES2022 library does not declare `transfer`. */
type TransferableBuffer = ArrayBufferLike & { transfer?: (length: number) => ArrayBuffer };
type Step = IteratorResult<Uint8Array, undefined>;

interface Waiter {
  readonly resolve: (step: Step) => void;
  readonly reject: (reason: unknown) => void;
}

const doneResult: Step = { done: true, value: undefined };

/**
 * A body read from a connection. Limits the buffered and the total size, and decompresses.
 *
 * Unlike Node's own iterator, it can be canceled while a read is pending, distinguishes a truncated body from a complete one,
 * and delivers everything received before a fault.
 */
export class StreamBody implements AsyncIterableIterator<Uint8Array>, BodyStream {
  readonly #options: StreamBodyOptions;
  readonly #output: Readable;
  readonly #queue: Uint8Array[] = [];
  readonly #waiters: Waiter[] = [];
  #queued = 0;
  #received = 0;
  #closed = false;
  #failure: { readonly reason: unknown } | undefined;

  constructor(source: Readable, options: StreamBodyOptions) {
    this.#options = options;
    this.#output = options.gzip ? this.#decompress(source) : source;
    this.#output.on('data', this.#onData);
    this.#output.on('end', () => this.#settle(options.gzip ? undefined : options.fault('end')));
    this.#output.on('error', (error) => this.#onError(error));
    if (!options.gzip) this.#output.on('close', () => this.#settle(options.fault('close')));
    options.signal?.addEventListener('abort', this.#onAbort, { once: true });
    if (options.signal?.aborted) this.#onAbort();
  }

  async next(): Promise<Step> {
    const chunk = this.#queue.shift();
    if (chunk) {
      this.#queued -= chunk.byteLength;
      if (!this.#closed && this.#output.isPaused() && this.#queued < highWater / 2) this.#output.resume();
      return { done: false, value: chunk };
    }
    if (this.#failure) {
      const { reason } = this.#failure;
      this.#failure = undefined;
      throw reason;
    }
    if (this.#closed) return doneResult;
    return new Promise((resolve, reject) => this.#waiters.push({ resolve, reject }));
  }

  reclaim(piece: Uint8Array): void {
    const { ownsPieces = false, gzip } = this.#options;
    const { buffer, byteLength } = piece;
    // Node 20 does not support `transfer`, so the garbage collector frees the memory later.
    if (ownsPieces && !gzip && buffer.byteLength === byteLength) (buffer as TransferableBuffer).transfer?.(0);
  }

  async return(): Promise<Step> {
    this.#giveUp(undefined);
    return doneResult;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  readonly #onData = (chunk: Uint8Array): void => {
    if (this.#closed) return;
    this.#received += chunk.byteLength;
    const { limit, what } = this.#options;
    if (limit !== undefined && this.#received > limit) {
      const text = {
        what: `${what} failed`,
        why: `the response is larger than ${limit} bytes`,
        remedy: 'request fewer objects (limit, selectors), or raise maxResponseBytes',
      };
      this.#giveUp({ reason: new TransportError('KW2005', text) });
      return;
    }
    const waiter = this.#waiters.shift();
    if (waiter) {
      waiter.resolve({ done: false, value: chunk });
      return;
    }
    this.#queue.push(chunk);
    this.#queued += chunk.byteLength;
    if (this.#queued > highWater) this.#output.pause();
  };

  readonly #onAbort = (): void => this.#giveUp({ reason: this.#options.signal?.reason });

  #onError(error: unknown): void {
    if (error instanceof TransportError) this.#settle(error);
    else if (!this.#options.gzip) this.#settle(this.#options.fault('error', error));
    else {
      const text = { what: `${this.#options.what} failed`, why: 'the compressed response is corrupt' };
      this.#giveUp({ reason: new TransportError('KW2006', text, { retryable: true, cause: error }) });
    }
  }

  /** Called when the stream has ended; queued chunks are still delivered. */
  #settle(fault: TransportError | undefined): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#release();
    if (!fault) {
      for (const waiter of this.#waiters.splice(0)) waiter.resolve(doneResult);
      return;
    }
    const first = this.#waiters.shift();
    if (first) first.reject(fault);
    else this.#failure = { reason: fault };
    for (const waiter of this.#waiters.splice(0)) waiter.resolve(doneResult);
  }

  /** Called when the reader ends the stream; queued chunks are dropped. */
  #giveUp(failure: { readonly reason: unknown } | undefined): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#queue.length = 0;
    this.#queued = 0;
    this.#options.cancel();
    this.#release();
    const first = this.#waiters.shift();
    if (failure && first) first.reject(failure.reason);
    else if (failure) this.#failure = failure;
    else first?.resolve(doneResult);
    for (const waiter of this.#waiters.splice(0)) waiter.resolve(doneResult);
  }

  #release(): void {
    this.#options.signal?.removeEventListener('abort', this.#onAbort);
    this.#options.finished();
  }

  #decompress(source: Readable): Gunzip {
    const gunzip = createGunzip();
    let ended = false;
    const fail = (event: 'end' | 'close' | 'error', cause?: unknown): void => {
      if (ended) return;
      const fault = this.#options.fault(event, cause);
      if (fault) {
        ended = true;
        gunzip.destroy(fault);
      }
    };
    source.on('data', (chunk: Uint8Array) => {
      if (!gunzip.destroyed && !gunzip.write(chunk)) source.pause();
    });
    gunzip.on('drain', () => source.resume());
    source.on('end', () => {
      fail('end');
      ended = true;
      if (!gunzip.destroyed) gunzip.end();
    });
    source.on('error', (error) => fail('error', error));
    source.on('close', () => fail('close'));
    return gunzip;
  }
}
