import {
  constants,
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { TLSSocket } from 'node:tls';
import type { ApiRequest, Connection } from './api-request.ts';
import { describeConnection } from './client-certificate.ts';
import type { Connection as Tracked } from './connections.ts';
import { Exchange, type ExchangeContext } from './exchange.ts';
import type { HttpLimits } from './limits.ts';
import { RequestBody } from './request-body.ts';
import { canSetResetLimits, ResetBudget } from './reset-budget.ts';
import type { ResponseSink } from './response-writer.ts';

/** Serves HTTP/2 on sockets whose TLS handshake negotiated it. */
export class Http2Listener {
  readonly #context: ExchangeContext;
  readonly #server: Http2Server;
  readonly #sessions = new Set<ServerHttp2Session>();
  /** The connection whose session is being created: Node announces the session before {@link connect} returns. */
  #arriving: Tracked | undefined;

  constructor(context: ExchangeContext) {
    this.#context = context;
    this.#server = createServer(sessionOptions(context.limits));
    this.#server.on('session', (session) => this.#accept(session));
    // A fault in one session (a broken client) ends only that session.
    this.#server.on('sessionError', (_error, session) => session.destroy());
  }

  /** Takes over a socket. */
  connect(socket: TLSSocket, tracked: Tracked): void {
    this.#arriving = tracked;
    this.#server.emit('connection', socket);
    this.#arriving = undefined;
  }

  /** Requests all clients to reconnect. Sessions end with their last stream. */
  goAway(): void {
    for (const session of this.#sessions) session.close();
  }

  /** Ends the remaining sessions. */
  destroy(): void {
    for (const session of this.#sessions) session.destroy();
  }

  #accept(session: ServerHttp2Session): void {
    this.#sessions.add(session);
    session.on('close', () => this.#sessions.delete(session));
    session.setLocalWindowSize(16 * 1024 * 1024);
    const socket = session.socket as TLSSocket; // only sockets passed to connect() arrive here
    const connection = describeConnection(socket, 'h2');
    const tracked = this.#arriving;
    if (tracked === undefined) throw new Error('received an HTTP/2 session on an unknown socket');
    tracked.ends = { close: () => session.close(), destroy: () => session.destroy() };
    const budget = canSetResetLimits(process.versions.node) ? undefined : new ResetBudget(this.#context.clock);
    session.on('stream', (stream, headers, _flags, rawHeaders) => {
      try {
        this.#respond(stream, headers, { connection, tracked, rawHeaders });
      } catch (error) {
        // An exception that escapes from this listener would end the process.
        this.#context.onError(error, { method: headers[':method'] ?? '', path: headers[':path'] ?? '' });
        stream.destroy();
      }
      if (!budget) return;
      stream.on('close', () => {
        if (stream.rstCode !== constants.NGHTTP2_NO_ERROR && budget.spend() && !session.closed) session.close();
      });
    });
  }

  #respond(stream: ServerHttp2Stream, sent: IncomingHttpHeaders, from: Origin): void {
    const { connection, tracked, rawHeaders } = from;
    const { ':method': method = 'GET', ':path': path = '/' } = sent;
    const exchange = new Exchange(this.#context, { sink: streamSink(stream), method, path, connection: tracked });
    stream.on('error', (error) => exchange.abort(error));
    stream.on('close', () => exchange.abort(clientGone));
    // A reset without an error closes a stream only after its (empty) request has been read to the end.
    if (exchange.longRunning && stream.endAfterHeaders) stream.resume();
    const context = this.#context;
    void exchange.run(new Http2Request(stream, { sent, rawHeaders, method, path, exchange, connection, context }));
  }
}

/** The origin of a request: its connection, that connection's tracking entry, and the headers as received. */
interface Origin {
  readonly connection: Connection;
  readonly tracked: Tracked;
  readonly rawHeaders: readonly string[] | undefined;
}

const clientGone = 'the client disconnected';

/**
 * A request over HTTP/2. A class, because an object literal with an accessor takes as long to create as the headers
 * take to read.
 */
class Http2Request implements ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly rawHeaders: readonly string[] | undefined;
  readonly body: RequestBody | undefined;
  readonly connection: Connection;
  readonly #exchange: Exchange;

  constructor(
    stream: ServerHttp2Stream,
    parts: {
      readonly sent: IncomingHttpHeaders;
      readonly rawHeaders: readonly string[] | undefined;
      readonly method: string;
      readonly path: string;
      readonly exchange: Exchange;
      readonly connection: Connection;
      readonly context: ExchangeContext;
    },
  ) {
    const { sent, method, path, exchange, connection, context } = parts;
    this.method = method;
    this.path = path;
    this.headers = plainHeaders(sent);
    this.rawHeaders = parts.rawHeaders;
    this.body = stream.endAfterHeaders ? undefined : bodyOf(stream, this.headers, context);
    this.connection = connection;
    this.#exchange = exchange;
  }

  get signal(): AbortSignal {
    return this.#exchange.signal;
  }
}

function bodyOf(stream: ServerHttp2Stream, headers: ApiRequest['headers'], context: ExchangeContext): RequestBody {
  const { clock, limits } = context;
  return new RequestBody(stream, {
    limit: limits.maxBodyBytes,
    declared: headers['content-length'],
    timeoutMs: limits.bodyTimeoutMs,
    clock,
    ...(headers['expect'] === '100-continue'
      ? { onStart: () => stream.additionalHeaders({ [constants.HTTP2_HEADER_STATUS]: 100 }) }
      : {}),
  });
}

function sessionOptions(limits: HttpLimits): Parameters<typeof createServer>[0] {
  return {
    maxSessionMemory: limits.maxSessionMemoryMiB,
    maxSessionRejectedStreams: 10_000,
    streamResetBurst: limits.streamResetBurst,
    streamResetRate: limits.streamResetRate,
    settings: {
      maxConcurrentStreams: canSetResetLimits(process.versions.node)
        ? limits.maxConcurrentStreams
        : Math.min(limits.maxConcurrentStreams, ResetBudget.maxConcurrentStreams),
      maxHeaderListSize: limits.maxHeaderBytes,
      initialWindowSize: 1024 * 1024,
      enablePush: false,
    },
  };
}

function plainHeaders(sent: IncomingHttpHeaders): Record<string, string> {
  const headers: Record<string, string> = { host: sent[':authority'] ?? '' };
  for (const name in sent) {
    const value = sent[name];
    // Skip pseudo-headers, and `__proto__`, which only an attacker sends.
    if (name.charCodeAt(0) === 0x3a || name === '__proto__' || value === undefined) continue;
    headers[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return headers;
}

/**
 * Throws if a header value contains a forbidden character. Node checks this for HTTP/1.1 only, and a line feed must not reach a
 * proxy that translates HTTP/2 to HTTP/1.1.
 */
function assertSendable(headers: Readonly<Record<string, string | readonly string[]>>): void {
  for (const name in headers) {
    const value = headers[name] ?? '';
    const isBad = typeof value === 'string' ? unsendable.test(value) : value.some((each) => unsendable.test(each));
    if (isBad) throw new TypeError(`the value of header ${name} contains invalid characters`);
  }
}

const unsendable = /[^\t\x20-\x7e\x80-\xff]/;

function streamSink(stream: ServerHttp2Stream): ResponseSink {
  return {
    stream,
    head(status, headers) {
      assertSendable(headers);
      stream.respond({ ...headers, ':status': status } as Record<string, string | string[] | number>);
      if (stream.readableEnded || stream.endAfterHeaders) return;
      // Do not wait for the rest of a body that the handler did not read.
      stream.once('finish', () => {
        if (!stream.readableEnded) stream.close(constants.NGHTTP2_NO_ERROR);
      });
    },
    abort() {
      // close() would end the stream first, and a truncated response would look complete.
      stream.destroy(new Error('the response was aborted'));
    },
  };
}
