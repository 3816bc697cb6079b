import type { Duplex } from 'node:stream';
import { expectManyListeners, untilAborted } from '../until-aborted.ts';
import { InProcessSwitch } from './in-process-switch.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';
import { TransportError } from './transport-error.ts';

/** A request as received by a server in the same process. `C` is the server's type for a connection and its peer. */
export interface InProcessRequest<C> {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: AsyncIterable<Uint8Array> | Uint8Array | undefined;
  readonly signal: AbortSignal;
  readonly connection: C;
  /**
   * Present if the caller requests a protocol switch. Takes over the stream, to which the server writes its 101
   * response.
   */
  readonly upgrade?: (() => InProcessUpgrade) | undefined;
}

/** The server's end of a stream between two parts of one process. */
export interface InProcessUpgrade {
  readonly stream: Duplex;
  /** Always empty: nothing is read before the switch. */
  readonly head: Uint8Array;
  /** The request as Node's HTTP server would represent it, because libraries expect that form. */
  readonly request: unknown;
}

/** The response of a server in the same process. */
export interface InProcessResponse {
  readonly status: number;
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: AsyncIterable<Uint8Array> | Uint8Array;
}

/** Options for {@link InProcessTransport}. */
export interface InProcessTransportOptions<C> {
  /** The server function. */
  readonly handle: (request: InProcessRequest<C>) => Promise<InProcessResponse>;
  /** Passed to every call; identifies the caller. */
  readonly connection: C;
  /** Sent with every request unless the request sets its own. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * A transport without sockets: calls a server function in the same process.
 *
 * Bytes are passed unchanged; nothing is copied, compressed or limited, because client and server belong to one
 * program. Disposing the transport aborts the calls in flight.
 *
 * @example
 * ```ts
 * const client = new KubernetesClient({ transport: new InProcessTransport({ handle, connection: undefined }) });
 * ```
 */
export class InProcessTransport<C = undefined> implements Transport {
  readonly #options: InProcessTransportOptions<C>;
  readonly #inFlight = new Set<AbortController>();
  #closed = false;

  constructor(options: InProcessTransportOptions<C>) {
    this.#options = options;
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    const switching = request.upgrade ? new InProcessSwitch(request) : undefined;
    if (this.#closed) throw closedError(request);
    request.signal?.throwIfAborted();
    request.gate?.();
    expectManyListeners(request.signal);
    const call = new AbortController();
    const onAbort = (): void => call.abort(request.signal?.reason);
    request.signal?.addEventListener('abort', onAbort, { once: true });
    this.#inFlight.add(call);
    const done = (): void => {
      request.signal?.removeEventListener('abort', onAbort);
      this.#inFlight.delete(call);
    };
    try {
      const response = await untilAborted(
        this.#options.handle({
          method: request.method,
          path: request.path,
          // Joins repeated headers, as HTTP libraries do for servers.
          headers: { ...this.#options.headers, ...request.headers, ...joinedHeaders(request.repeatedHeaders ?? {}) },
          body: request.body,
          signal: call.signal,
          connection: this.#options.connection,
          ...(switching ? { upgrade: () => switching.take(call.signal) } : {}),
        }),
        call.signal,
      );
      if (switching?.isTaken) return await switching.response(done);
      const headers = joinedHeaders(response.headers);
      if (response.body instanceof Uint8Array) {
        done();
        return { status: response.status, headers, body: once(response.body) };
      }
      return { status: response.status, headers, body: new GuardedBody(response.body, { call, done }) };
    } catch (error) {
      done();
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    for (const call of this.#inFlight) call.abort(closedError());
    this.#inFlight.clear();
  }
}

function closedError(request?: TransportRequest): TransportError {
  const what = request ? `${request.method} ${request.path} failed` : 'the request was aborted';
  return new TransportError(
    'KW2008',
    { what, why: 'the in-process transport is closed' },
    { sent: request === undefined },
  );
}

function joinedHeaders(
  headers: Readonly<Record<string, string | readonly string[]>>,
): Readonly<Record<string, string>> {
  const joined: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers))
    joined[name] = typeof value === 'string' ? value : value.join(', ');
  return joined;
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  if (bytes.byteLength > 0) yield bytes;
}

/**
 * A streamed body that ends when the call is aborted, even if the server ignores the signal. Unlike a generator, it can
 * be canceled while a read is pending; this aborts the server's work immediately.
 */
class GuardedBody implements AsyncIterableIterator<Uint8Array> {
  readonly #source: AsyncIterator<Uint8Array>;
  readonly #call: AbortController;
  readonly #done: () => void;
  #ended = false;
  /** Ends the pending read. */
  #fail: ((reason: unknown) => void) | undefined;

  constructor(body: AsyncIterable<Uint8Array>, options: { readonly call: AbortController; readonly done: () => void }) {
    this.#source = body[Symbol.asyncIterator]();
    this.#call = options.call;
    this.#done = options.done;
    const { signal } = options.call;
    signal.addEventListener('abort', () => this.#fail?.(signal.reason), { once: true });
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (this.#ended) return { done: true, value: undefined };
    try {
      const next = await this.#read();
      if (!next.done) return next;
      this.#finish();
      return { done: true, value: undefined };
    } catch (error) {
      const ended = this.#ended;
      this.#giveUp(error);
      if (ended) return { done: true, value: undefined };
      throw error;
    }
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#giveUp(new DOMException('the caller stopped reading the response', 'AbortError'));
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /**
   * Reads the next chunk, or fails if the call is aborted. Uses one abort listener for the whole stream, because adding
   * one per read costs as much as handling a small event.
   */
  #read(): Promise<IteratorResult<Uint8Array>> {
    const { signal } = this.#call;
    return new Promise((resolve, reject) => {
      this.#fail = reject;
      if (signal.aborted) reject(signal.reason);
      else this.#source.next().then(resolve, reject);
    });
  }

  #finish(): void {
    this.#ended = true;
    this.#done();
  }

  #giveUp(reason: unknown): void {
    if (this.#ended) return;
    this.#finish();
    this.#call.abort(reason);
    this.#source.return?.().catch(() => {
      // The reader has left; the outcome on the server no longer matters.
    });
  }
}
