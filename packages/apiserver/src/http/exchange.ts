import { type Clock, StatusError } from '@kubewright/apimachinery';
import { type ApiHandler, type ApiRequest, type ApiResponse, hijacked } from './api-request.ts';
import type { TrackedConnection } from './connections.ts';
import type { HttpLimits } from './limits.ts';
import { isLongRunning, mayPause } from './long-running.ts';
import { type ResponseSink, writeResponse } from './response-writer.ts';
import { failure, statusResponse } from './status-response.ts';

/** State shared by all exchanges of a server. */
export interface ExchangeContext {
  readonly handle: ApiHandler;
  readonly clock: Clock;
  readonly limits: HttpLimits;
  /** Receives every error except `StatusError`, which becomes the response. */
  readonly onError: (error: unknown, request: { readonly method: string; readonly path: string }) => void;
  /** The exchanges in progress. */
  readonly open: Set<Exchange>;
}

/** Options for {@link Exchange}. */
export interface ExchangeOptions {
  readonly sink: ResponseSink;
  readonly method: string;
  readonly path: string;
  readonly connection: TrackedConnection;
}

/** Bodies larger than this, in bytes, may wait for a slow reader; smaller bodies fit into a socket's buffers. */
const waitingBytes = 64 * 1024;

/** Runs one request and writes its response, over any protocol. */
export class Exchange {
  readonly #context: ExchangeContext;
  readonly #sink: ResponseSink;
  readonly #connection: TrackedConnection;
  readonly longRunning: boolean;
  #controller: AbortController | undefined;
  #aborted: { readonly reason: unknown } | undefined;
  #responded = false;
  #over = false;

  constructor(context: ExchangeContext, options: ExchangeOptions) {
    this.#context = context;
    this.#sink = options.sink;
    this.#connection = options.connection;
    this.longRunning = isLongRunning(options.method, options.path);
  }

  /** Created on first use, because most requests never need it. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#aborted && !this.#controller.signal.aborted) this.#controller.abort(this.#aborted.reason);
    return this.#controller.signal;
  }

  /** Called when the client disconnects, the deadline passes, or the server closes. */
  abort(reason: unknown): void {
    // Every stream also closes after a complete response, when nothing listens to the signal anymore.
    if (this.#aborted || this.#over) return;
    this.#aborted = { reason };
    this.#controller?.abort(reason);
  }

  /** Calls the handler and writes the response. Never rejects. */
  async run(request: ApiRequest): Promise<void> {
    const { clock, limits, open, onError } = this.#context;
    open.add(this);
    this.#connection.begin();
    let status = 0;
    const deadline = this.longRunning
      ? undefined
      : clock.setTimer(limits.requestTimeoutMs, () => this.#expire(request));
    try {
      const response = await this.#handle(request);
      status = response.status;
      deadline?.[Symbol.dispose]();
      if (this.#responded) await discard(response);
      else await this.#respond(response, request);
    } catch (error) {
      if (!this.#aborted) onError(error, request);
      this.#sink.abort();
    } finally {
      deadline?.[Symbol.dispose]();
      open.delete(this);
      this.#over = true;
      // A connection that switched protocols carries no further requests and stays busy until it closes.
      if (status !== hijacked.status) this.#connection.end(provesIdentity(request, status));
    }
  }

  async #handle(request: ApiRequest): Promise<ApiResponse> {
    try {
      return await this.#context.handle(request);
    } catch (error) {
      if (error instanceof StatusError) return statusResponse(error.status);
      if (!this.#aborted) this.#context.onError(error, request);
      return statusResponse(panic.status);
    }
  }

  async #respond(response: ApiResponse, request: ApiRequest): Promise<void> {
    this.#responded = true;
    if (response === hijacked) return;
    if (this.#sink.stream.destroyed) {
      await discard(response);
      return;
    }
    await writeResponse(response, {
      sink: this.#sink,
      acceptEncoding: request.headers['accept-encoding'],
      gzipThresholdBytes: this.#context.limits.gzipThresholdBytes,
      signal: () => this.signal,
      clock: this.#context.clock,
      stallMs: mayPause(request.method, request.path) ? undefined : this.#context.limits.requestTimeoutMs,
    });
    if (response.body instanceof Uint8Array && response.body.length > waitingBytes) this.#hurryReader();
  }

  /** Sets a deadline for reading a large response, so that a client that does not read cannot hold it in memory forever. */
  #hurryReader(): void {
    const { clock, limits } = this.#context;
    const { stream } = this.#sink;
    if (stream.closed || stream.destroyed) return;
    const deadline = clock.setTimer(limits.requestTimeoutMs, () => this.#sink.abort(), { unref: true });
    stream.once('close', () => deadline[Symbol.dispose]());
  }

  #expire(request: ApiRequest): void {
    if (this.#responded) return;
    this.#respond(statusResponse(expired.status), request).catch((error: unknown) => {
      this.#context.onError(error, request);
      this.#sink.abort();
    });
    this.abort(expired);
  }
}

/** Reports whether the response shows that the request carried valid credentials. */
function provesIdentity({ connection, headers }: ApiRequest, status: number): boolean {
  if (status === 0 || status === 401) return false;
  return connection.clientCertificate !== undefined || headers['authorization'] !== undefined;
}

const panic: StatusError = failure(500, {
  reason: 'InternalError',
  message: 'Internal error occurred: this request caused the API server to fail; see the server log for details',
});

const expired: StatusError = failure(504, {
  reason: 'Timeout',
  message: 'Timeout: request did not complete within the allotted timeout',
  details: {},
});

async function discard(response: ApiResponse): Promise<void> {
  if (response.body instanceof Uint8Array) return;
  await response.body[Symbol.asyncIterator]().return?.();
}
