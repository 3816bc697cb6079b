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
import { Exchange, type ExchangeContext } from './exchange.ts';
import type { HttpLimits } from './limits.ts';
import { RequestBody } from './request-body.ts';
import { canSetResetLimits, ResetBudget } from './reset-budget.ts';
import type { ResponseSink } from './response-writer.ts';

/** Speaks HTTP/2 on sockets whose TLS handshake chose it. */
export class Http2Listener {
  readonly #context: ExchangeContext;
  readonly #server: Http2Server;
  readonly #sessions = new Set<ServerHttp2Session>();

  constructor(context: ExchangeContext) {
    this.#context = context;
    this.#server = createServer(sessionOptions(context.limits));
    this.#server.on('session', (session) => this.#accept(session));
    // A session's own fault (a broken client) ends that session and nothing else.
    this.#server.on('sessionError', (_error, session) => session.destroy());
  }

  /** Takes a socket over. */
  connect(socket: TLSSocket): void {
    this.#server.emit('connection', socket);
  }

  /** Tells all clients to go elsewhere; sessions end with their last stream. */
  goAway(): void {
    for (const session of this.#sessions) session.close();
  }

  /** Ends what is left. */
  destroy(): void {
    for (const session of this.#sessions) session.destroy();
  }

  #accept(session: ServerHttp2Session): void {
    this.#sessions.add(session);
    session.on('close', () => this.#sessions.delete(session));
    session.setLocalWindowSize(16 * 1024 * 1024);
    const socket = session.socket as TLSSocket; // only sockets given to connect() come here
    const connection = describeConnection(socket, 'h2');
    const budget = canSetResetLimits(process.versions.node) ? undefined : new ResetBudget(this.#context.clock);
    session.on('stream', (stream, headers) => {
      this.#answer(stream, headers, connection);
      if (!budget) return;
      stream.on('close', () => {
        if (stream.rstCode !== constants.NGHTTP2_NO_ERROR && budget.spend() && !session.closed) session.close();
      });
    });
  }

  #answer(stream: ServerHttp2Stream, sent: IncomingHttpHeaders, connection: Connection): void {
    const path = sent[':path'] ?? '/';
    const exchange = new Exchange(this.#context, { sink: streamSink(stream), path });
    stream.on('error', (error) => exchange.abort(error));
    stream.on('close', () => exchange.abort(CLIENT_GONE));
    // A reset without an error closes a stream only once its (empty) request was read to the end.
    if (exchange.longRunning && stream.endAfterHeaders) stream.resume();
    void exchange.run(new Http2Request(stream, { sent, path, exchange, connection, limits: this.#context.limits }));
  }
}

const CLIENT_GONE = 'the client has gone';

/** A class, for an object with an accessor of its own costs as much as reading the headers. */
class Http2Request implements ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: RequestBody | undefined;
  readonly connection: Connection;
  readonly #exchange: Exchange;

  constructor(
    stream: ServerHttp2Stream,
    parts: {
      readonly sent: IncomingHttpHeaders;
      readonly path: string;
      readonly exchange: Exchange;
      readonly connection: Connection;
      readonly limits: HttpLimits;
    },
  ) {
    const { sent, path, exchange, connection, limits } = parts;
    this.method = sent[':method'] ?? 'GET';
    this.path = path;
    this.headers = plainHeaders(sent);
    this.body = stream.endAfterHeaders ? undefined : bodyOf(stream, this.headers, limits);
    this.connection = connection;
    this.#exchange = exchange;
  }

  get signal(): AbortSignal {
    return this.#exchange.signal;
  }
}

function bodyOf(stream: ServerHttp2Stream, headers: ApiRequest['headers'], limits: HttpLimits): RequestBody {
  return new RequestBody(stream, {
    limit: limits.maxBodyBytes,
    declared: headers['content-length'],
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
    // A header of that name could only be meant to harm.
    if (name.charCodeAt(0) === 0x3a || name === '__proto__' || value === undefined) continue;
    headers[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return headers;
}

/** Node checks values for HTTP/1.1 only; a line feed in one must not reach a proxy that translates. */
function assertSendable(headers: Readonly<Record<string, string | readonly string[]>>): void {
  for (const name in headers) {
    const value = headers[name] ?? '';
    const isBad = typeof value === 'string' ? UNSENDABLE.test(value) : value.some((each) => UNSENDABLE.test(each));
    if (isBad) throw new TypeError(`the header ${name} holds what cannot be sent`);
  }
}

const UNSENDABLE = /[^\t\x20-\x7e\x80-\xff]/;

function streamSink(stream: ServerHttp2Stream): ResponseSink {
  return {
    stream,
    head(status, headers) {
      assertSendable(headers);
      stream.respond({ ...headers, ':status': status } as Record<string, string | string[] | number>);
      if (stream.readableEnded || stream.endAfterHeaders) return;
      // What the client still sends of a body that nobody wanted is not worth the wait.
      stream.once('finish', () => {
        if (!stream.readableEnded) stream.close(constants.NGHTTP2_NO_ERROR);
      });
    },
    abort() {
      // close() would end the stream first, and half an answer would look whole.
      stream.destroy(new Error('the answer was broken off'));
    },
  };
}
