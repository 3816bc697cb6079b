import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { TransportRequest, TransportResponse } from '../transport.ts';
import { TransportError } from '../transport-error.ts';
import { Dialer } from './dial.ts';
import type { HttpContext, OutgoingHeaders } from './http-options.ts';
import { nodeHttp } from './node-http.ts';

const { request: requestHttp } = nodeHttp();

/**
 * Connections that switch to another protocol, one per request. Neither Node nor the API server supports switching protocols over
 * HTTP/2.
 */
export class UpgradePool {
  readonly #context: HttpContext;
  readonly #dialer: Dialer;
  readonly #sockets = new Set<Socket>();
  #destroyed: TransportError | undefined;

  constructor(context: HttpContext) {
    this.#context = context;
    this.#dialer = new Dialer({ ...context, protocols: ['http/1.1'] }, { raw: true });
  }

  /** True if no connection is open. */
  get isEmpty(): boolean {
    return this.#sockets.size === 0;
  }

  /** Sends one request on a new connection; resolves with a 101 and the stream, or with any other response. */
  async request(options: {
    readonly request: TransportRequest;
    readonly path: string;
    readonly headers: OutgoingHeaders;
  }): Promise<TransportResponse> {
    const { request } = options;
    const socket = await this.#dialer
      .dial(request.signal ?? new AbortController().signal)
      .then((dialed) => dialed.socket);
    if (this.#destroyed) {
      socket.destroy();
      throw this.#destroyed;
    }
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    // A reader gets the error from its read. Without a reader, the error must not crash the process.
    socket.on('error', () => {});
    try {
      request.gate?.();
    } catch (rejected) {
      socket.destroy();
      throw rejected;
    }
    const outgoing = requestHttp({
      createConnection: () => socket,
      host: this.#context.server.hostname,
      method: request.method,
      path: options.path,
      setDefaultHeaders: false,
      headers: { host: this.#context.server.host, ...options.headers },
    });
    return this.#exchange(outgoing, request);
  }

  destroy(reason: TransportError): void {
    this.#destroyed = reason;
    for (const socket of this.#sockets) socket.destroy(reason);
  }

  #exchange(outgoing: ClientRequest, request: TransportRequest): Promise<TransportResponse> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        outgoing.destroy();
        reject(request.signal?.reason);
      };
      const settle = (finish: () => void): void => {
        request.signal?.removeEventListener('abort', onAbort);
        finish();
      };
      outgoing.on('error', (cause) => {
        const what = `${request.method} ${request.path.split('?', 1)[0]} failed`;
        const text = { what, why: 'the connection was lost before the server switched protocols' };
        settle(() => reject(this.#destroyed ?? new TransportError('KW2003', text, { retryable: true, cause })));
      });
      outgoing.once('upgrade', (incoming, socket, head) => {
        if (head.length > 0) socket.unshift(head);
        const headers = plainHeaders(incoming.headers);
        settle(() => resolve({ status: incoming.statusCode ?? 101, headers, body: nothing(), upgraded: socket }));
      });
      outgoing.once('response', (incoming: IncomingMessage) => {
        const headers = plainHeaders(incoming.headers);
        settle(() => resolve({ status: incoming.statusCode ?? 0, headers, body: incoming }));
      });
      request.signal?.addEventListener('abort', onAbort, { once: true });
      if (request.signal?.aborted) onAbort();
      else outgoing.end();
    });
  }
}

async function* nothing(): AsyncGenerator<Uint8Array, void, undefined> {}

function plainHeaders(incoming: IncomingHttpHeaders): Readonly<Record<string, string>> {
  const headers: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(incoming)) {
    if (value !== undefined) headers[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return headers;
}
