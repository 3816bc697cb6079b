import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import type { ApiRequest, Connection } from './api-request.ts';
import { describeConnection } from './client-certificate.ts';
import type { TrackedConnection } from './connections.ts';
import { Exchange, type ExchangeContext } from './exchange.ts';
import { nodeHttp } from './node-http.ts';
import { RequestBody } from './request-body.ts';
import type { ResponseSink } from './response-writer.ts';

const { createServer, ServerResponse: Response } = nodeHttp();

/** Serves HTTP/1.1, including protocol switches. */
export class Http1Listener {
  readonly #context: ExchangeContext;
  readonly #server: Server;
  readonly #connections = new WeakMap<object, Described>();

  constructor(context: ExchangeContext) {
    this.#context = context;
    this.#server = createServer({
      maxHeaderSize: context.limits.maxHeaderBytes,
      keepAliveTimeout: context.limits.keepAliveMs,
      headersTimeout: context.limits.headersTimeoutMs,
      connectionsCheckingInterval: Math.min(context.limits.headersTimeoutMs, 5_000),
      requestTimeout: 0,
      noDelay: true,
    });
    // This server never listens itself, but it starts checking for slow clients only on this event.
    this.#server.emit('listening');
    this.#server.on('request', (message, response) => this.#guard(message, () => this.#respond(message, response)));
    this.#server.on('clientError', reject);
    this.#server.on('upgrade', (message, socket, head) =>
      this.#guard(message, () => this.#upgrade(message, { socket, head })),
    );
  }

  /** Takes over a socket. */
  connect(socket: TLSSocket, tracked: TrackedConnection): void {
    this.#connections.set(socket, { connection: describeConnection(socket, 'http/1.1'), tracked });
    this.#server.emit('connection', socket);
  }

  /** Ends idle sockets. Other sockets end with their request. */
  goAway(): void {
    this.#server.keepAliveTimeout = 1;
    this.#server.closeIdleConnections();
  }

  /** Ends the remaining sockets, and the timer that checks for slow clients. */
  destroy(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** Catches exceptions: an exception that escapes from an event listener would end the process. */
  #guard(message: IncomingMessage, serve: () => void): void {
    try {
      serve();
    } catch (error) {
      this.#context.onError(error, { method: message.method ?? '', path: message.url ?? '' });
      message.socket.destroy();
    }
  }

  #respond(message: IncomingMessage, response: ServerResponse): void {
    const exchange = this.#exchange(message, response);
    response.on('close', () => exchange.abort('the client disconnected'));
    response.on('error', (error) => exchange.abort(error));
    void exchange.run(this.#request(message, exchange));
  }

  #upgrade(message: IncomingMessage, raw: { readonly socket: Duplex; readonly head: Uint8Array }): void {
    const { socket, head } = raw;
    let taken = false;
    const response = new Response(message);
    response.shouldKeepAlive = false;
    const exchange = this.#exchange(message, response);
    socket.on('error', (error) => exchange.abort(error));
    socket.on('close', () => {
      exchange.abort('the client disconnected');
      if (!taken) response.destroy();
    });
    const request: ApiRequest = {
      ...this.#request(message, exchange),
      body: undefined,
      get signal() {
        return exchange.signal;
      },
      upgrade: () => {
        taken = true;
        return { stream: socket, head, request: message };
      },
    };
    // Node releases a socket that requests a protocol switch, so attach an ordinary response to the socket manually.
    response.assignSocket(socket as TLSSocket); // the 'upgrade' event of a TLS server
    response.on('finish', () => socket.end());
    void exchange.run(request);
  }

  #exchange(message: IncomingMessage, response: ServerResponse): Exchange {
    const { method = 'GET', url: path = '/', socket } = message;
    const { tracked: connection } = this.#described(socket);
    return new Exchange(this.#context, { sink: responseSink(response), method, path, connection });
  }

  #described(socket: object): Described {
    const described = this.#connections.get(socket);
    if (described === undefined) throw new Error('received a request on an unknown socket');
    return described;
  }

  #request(message: IncomingMessage, exchange: Exchange): ApiRequest {
    const { clock, limits } = this.#context;
    const headers = plainHeaders(message);
    const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
    return {
      method: message.method ?? 'GET',
      path: message.url ?? '/',
      headers,
      rawHeaders: message.rawHeaders,
      body: hasBody
        ? new RequestBody(message, {
            limit: limits.maxBodyBytes,
            declared: headers['content-length'],
            timeoutMs: limits.bodyTimeoutMs,
            clock,
          })
        : undefined,
      get signal() {
        return exchange.signal;
      },
      connection: this.#described(message.socket).connection,
    };
  }
}

/** A socket's connection, and its tracking entry. */
interface Described {
  readonly connection: Connection;
  readonly tracked: TrackedConnection;
}

const rejections: ReadonlyMap<string | undefined, string> = new Map([
  ['HPE_HEADER_OVERFLOW', '431 Request Header Fields Too Large'],
  ['ERR_HTTP_REQUEST_TIMEOUT', '408 Request Timeout'],
]);

/** Responds to input that is not a valid HTTP request. Flushes the response before the socket closes. */
function reject(error: NodeJS.ErrnoException, socket: Duplex): void {
  const status = rejections.get(error.code) ?? '400 Bad Request';
  if (socket.writable) socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
  else socket.destroy();
}

function plainHeaders(message: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(message.headers)) {
    if (name === '__proto__' || value === undefined) continue;
    headers[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return headers;
}

function responseSink(response: ServerResponse): ResponseSink {
  return {
    stream: response,
    head(status, headers) {
      response.writeHead(status, headers as Record<string, string | string[]>); // Node does not modify the headers
      response.flushHeaders();
    },
    abort() {
      response.destroy();
    },
  };
}
