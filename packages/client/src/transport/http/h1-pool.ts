import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TransportRequest, TransportResponse } from '../transport.ts';
import { TransportError } from '../transport-error.ts';
import { isTlsFailure } from './dial.ts';
import type { HttpContext, OutgoingHeaders } from './http-options.ts';
import { nodeHttp } from './node-http.ts';
import { StreamBody } from './stream-body.ts';

const { Agent, request: requestHttp } = nodeHttp();

type SocketCallback = (error: Error | null, socket: Duplex) => void;

/** An agent that opens its own sockets, to apply this transport's proxy, certificates and timeouts. */
class DialingAgent extends Agent {
  readonly #dial: () => Promise<Socket>;
  readonly #spare: Socket[] = [];

  constructor(options: { readonly dial: () => Promise<Socket>; readonly maxSockets: number; readonly idleMs: number }) {
    super({ keepAlive: true, maxSockets: options.maxSockets, timeout: options.idleMs, scheduling: 'lifo' });
    this.#dial = options.dial;
  }

  adopt(socket: Socket): void {
    this.#spare.push(socket);
  }

  override createConnection(_options: object, callback?: SocketCallback): Duplex | undefined {
    const spare = this.#spare.pop();
    if (spare && !spare.destroyed) return spare;
    this.#dial().then(
      (socket) => callback?.(null, socket),
      // The callback's type requires a socket even with an error; the agent checks the error first.
      (error: Error) => (callback as ((error: Error) => void) | undefined)?.(error),
    );
    return undefined;
  }

  override destroy(): void {
    for (const socket of this.#spare.splice(0)) socket.destroy();
    super.destroy();
  }
}

/** The HTTP/1.1 connections to one server: kept alive and reused, except for long-running requests, which have their own. */
export class H1Pool {
  readonly #context: HttpContext;
  readonly #short: DialingAgent;
  readonly #long: DialingAgent;
  readonly #running = new Set<ClientRequest>();
  #retired = false;
  #destroyed: TransportError | undefined;

  constructor(context: HttpContext, dial: () => Promise<Socket>) {
    this.#context = context;
    const { maxHttp1Sockets, idleTimeoutMs } = context.tuning;
    this.#short = new DialingAgent({ dial, maxSockets: maxHttp1Sockets, idleMs: idleTimeoutMs });
    this.#long = new DialingAgent({ dial, maxSockets: Number.POSITIVE_INFINITY, idleMs: idleTimeoutMs });
  }

  /** Adds a connection that was opened to detect the protocol. */
  adopt(socket: Socket, options: { readonly longRunning: boolean }): void {
    (options.longRunning ? this.#long : this.#short).adopt(socket);
  }

  /** Sends one request; resolves with the head of the response. */
  request(options: {
    readonly request: TransportRequest;
    readonly path: string;
    readonly headers: OutgoingHeaders;
  }): Promise<TransportResponse> {
    const { request } = options;
    const what = `${request.method} ${request.path.split('?', 1)[0]}`;
    const outgoing = requestHttp({
      agent: request.longRunning ? this.#long : this.#short,
      // The agent dials its own sockets; these two fields only form the name under which it caches the sockets.
      protocol: 'http:',
      host: this.#context.server.hostname,
      method: request.method,
      path: options.path,
      setDefaultHeaders: false,
      headers: {
        host: this.#context.server.host,
        connection: 'keep-alive',
        ...options.headers,
        ...(request.body ? { 'content-length': request.body.byteLength } : {}),
        ...(!request.body && request.method !== 'GET' ? { 'content-length': 0 } : {}),
      },
    });
    this.#running.add(outgoing);
    outgoing.once('close', () => {
      this.#running.delete(outgoing);
      if (this.#retired && this.#running.size === 0) this.#destroyAgents();
    });
    return this.#exchange(outgoing, { request, what });
  }

  retire(): void {
    this.#retired = true;
    if (this.#running.size === 0) this.#destroyAgents();
  }

  /** True if no request is running; cached sockets do not count. */
  get isEmpty(): boolean {
    return this.#running.size === 0;
  }

  destroy(reason: TransportError): void {
    this.#destroyed = reason;
    for (const outgoing of this.#running) outgoing.destroy(reason);
    this.#destroyAgents();
  }

  #destroyAgents(): void {
    this.#short.destroy();
    this.#long.destroy();
  }

  #exchange(
    outgoing: ClientRequest,
    { request, what }: { readonly request: TransportRequest; readonly what: string },
  ): Promise<TransportResponse> {
    return new Promise((resolve, reject) => {
      const cancel = (): void => void outgoing.destroy();
      const onAbort = (): void => {
        release();
        cancel();
        reject(request.signal?.reason);
      };
      const release = (): void => request.signal?.removeEventListener('abort', onAbort);
      const fault = (cause: unknown): TransportError => this.#fault(outgoing, { what, cause });
      outgoing.on('error', (error) => {
        release();
        reject(fault(error));
      });
      outgoing.once('response', (incoming) => {
        release();
        let cause: unknown;
        const headers = plainHeaders(incoming);
        const body = new StreamBody(incoming, {
          what,
          gzip: headers['content-encoding'] === 'gzip',
          // Node's parser copies each chunk from the read buffer.
          ownsPieces: true,
          limit: request.longRunning ? undefined : this.#context.tuning.maxResponseBytes,
          signal: request.signal,
          cancel,
          finished: () => {},
          fault: (_event, error) => {
            cause ??= error;
            return incoming.complete ? undefined : fault(cause);
          },
        });
        resolve({ status: incoming.statusCode ?? 0, headers, body });
      });
      request.signal?.addEventListener('abort', onAbort, { once: true });
      if (request.signal?.aborted) onAbort();
      else if (!request.gate) outgoing.end(request.body);
      // Nothing is written before `end`, so none of a request that the gate rejects is ever sent.
      else outgoing.once('socket', () => passGate(outgoing, { request, release, reject }));
    });
  }

  #fault(outgoing: ClientRequest, options: { readonly what: string; readonly cause: unknown }): TransportError {
    const { what, cause } = options;
    if (this.#destroyed) return this.#destroyed;
    if (cause instanceof TransportError) return cause;
    if (isTlsFailure(cause)) {
      const text = {
        what: `${what} failed`,
        why: 'the server closed the TLS connection',
        remedy: 'check that the server accepts the client certificate',
      };
      return new TransportError('KW2002', text, { sent: false, cause });
    }
    const code = (cause as { readonly code?: unknown } | undefined)?.code;
    if (typeof code === 'string' && code.startsWith('HPE_')) {
      return new TransportError(
        'KW2006',
        { what: `${what} failed`, why: `the response is not valid HTTP (${code})` },
        { cause },
      );
    }
    const kept = outgoing.reusedSocket ? ' (the server may have closed the idle connection)' : '';
    const why = `the connection was lost before the response was complete${kept}`;
    return new TransportError('KW2003', { what: `${what} failed`, why }, { retryable: true, cause });
  }
}

function passGate(
  outgoing: ClientRequest,
  options: {
    readonly request: TransportRequest;
    readonly release: () => void;
    readonly reject: (rejected: unknown) => void;
  },
): void {
  const { request, release, reject } = options;
  if (request.signal?.aborted) return;
  try {
    request.gate?.();
  } catch (rejected) {
    release();
    reject(rejected);
    outgoing.destroy();
    return;
  }
  outgoing.end(request.body);
}

function plainHeaders(incoming: IncomingMessage): Readonly<Record<string, string>> {
  const headers: Record<string, string> = Object.create(null);
  for (const [name, values] of Object.entries(incoming.headersDistinct)) {
    if (values) headers[name] = values.join(', ');
  }
  return headers;
}
