import type { AddressInfo, Socket } from 'node:net';
import { createServer, type Server, type TLSSocket, type TlsOptions } from 'node:tls';
import { type Clock, sleep } from '@kubewright/apimachinery';
import type { ApiHandler } from './api-request.ts';
import { type Connection, Connections } from './connections.ts';
import type { Exchange, ExchangeContext } from './exchange.ts';
import { Http1Listener } from './http1-listener.ts';
import { Http2Listener } from './http2-listener.ts';
import { defaultLimits, type HttpLimits } from './limits.ts';
import { listenError } from './listen-error.ts';

/** Options for {@link createHttpServer}. */
export interface HttpServerOptions {
  readonly handle: ApiHandler;
  readonly tls: HttpServerTls;
  /** @defaultValue '127.0.0.1' */
  readonly host?: string | undefined;
  /** 0 picks any free port. */
  readonly port: number;
  readonly limits?: Partial<HttpLimits> | undefined;
  readonly clock: Clock;
  /**
   * Called for every error except `StatusError`. The client gets a 500, or a truncated response if the response has
   * already started.
   */
  readonly onError: (error: unknown, request: { readonly method: string; readonly path: string }) => void;
}

/** Keys and certificates in PEM format. */
export interface HttpServerTls {
  readonly key: string;
  /** The serving certificate, followed by its chain. */
  readonly certificate: string;
  /** CAs whose client certificates are trusted. */
  readonly clientCa: string;
}

/**
 * A listening server.
 *
 * @example
 * ```ts
 * function renewEvery(server: HttpServer, hours: number): Timer {
 *   return systemClock.setTimer(hours * 3_600_000, () => server.setTls(renewedTls(server.host)));
 * }
 * ```
 */
export interface HttpServer extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
  /** `https://host:port`, with the loopback address as host if the server listens on all addresses. */
  readonly url: string;
  /** Replaces the keys and certificates used for new connections. */
  setTls(tls: HttpServerTls): void;
  /**
   * Stops listening, tells clients to disconnect, ends watches cleanly, waits at most `graceMs` milliseconds for
   * requests in progress, then closes the remaining connections. Idempotent.
   */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}

/**
 * Serves a handler over TLS: HTTP/2 and HTTP/1.1, negotiated by ALPN. Client certificates are requested but not required.
 *
 * @throws ListenError when the server cannot listen on the address; its message states the action, the reason and the fix
 *
 * @example
 * ```ts
 * const server = new ApiServer(options);
 * await using http = await createHttpServer({
 *   handle: server.handle,
 *   tls: { key, certificate, clientCa },
 *   port: 6443,
 *   clock: systemClock,
 *   onError: (error) => log.error('internal error', { error }),
 * });
 * ```
 */
export async function createHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { handle, clock, onError, host = '127.0.0.1', port } = options;
  const limits: HttpLimits = { ...defaultLimits, ...options.limits };
  const context: ExchangeContext = { handle, clock, limits, onError, open: new Set<Exchange>() };
  const listeners = { http1: new Http1Listener(context), http2: new Http2Listener(context) };
  const server = createServer({ ...tlsOptions(options.tls), ALPNProtocols: ['h2', 'http/1.1'] });
  const connections = new Connections({ clock, limits });
  const arriving = new Map<string, Connection>();
  server.on('connection', (socket) => {
    const connection = connections.add({ close: () => socket.destroy(), destroy: () => socket.destroy() });
    if (connection === undefined) {
      socket.destroy();
      return;
    }
    const peer = peerOf(socket);
    arriving.set(peer, connection);
    socket.on('close', () => {
      connections.remove(connection);
      if (arriving.get(peer) === connection) arriving.delete(peer);
    });
  });
  const sockets = new Set<TLSSocket>();
  server.on('secureConnection', (socket) => {
    const peer = peerOf(socket);
    const connection = arriving.get(peer);
    arriving.delete(peer);
    if (connection === undefined) {
      socket.destroy(); // closed during the TLS handshake
      return;
    }
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy()); // a connection error affects only this client
    socket.setNoDelay(true);
    connection.ends = { close: () => socket.destroy(), destroy: () => socket.destroy() };
    try {
      (socket.alpnProtocol === 'h2' ? listeners.http2 : listeners.http1).connect(socket, connection);
    } catch (error) {
      onError(error, { method: 'CONNECT', path: '' });
      socket.destroy();
    }
  });
  await listen(server, { host, port });
  const bound = server.address() as AddressInfo; // the server listens on a TCP port
  return new RunningServer({ server, listeners, context, connections, sockets, host, port: bound.port });
}

/**
 * Identifies the remote end of a connection. The result links a TLS socket to the TCP socket underneath: neither has a reference
 * to the other.
 */
function peerOf(socket: Socket): string {
  return `${socket.remoteAddress} ${socket.remotePort}`;
}

interface Parts {
  readonly server: Server;
  readonly listeners: { readonly http1: Http1Listener; readonly http2: Http2Listener };
  readonly context: ExchangeContext;
  readonly connections: Connections;
  readonly sockets: ReadonlySet<TLSSocket>;
  readonly host: string;
  readonly port: number;
}

class RunningServer implements HttpServer {
  readonly #parts: Parts;
  readonly host: string;
  readonly port: number;
  readonly url: string;
  #closing: Promise<void> | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.host = parts.host;
    this.port = parts.port;
    const host = reachableHost(parts.host);
    this.url = `https://${host.includes(':') ? `[${host}]` : host}:${parts.port}`;
  }

  setTls(tls: HttpServerTls): void {
    const { key, cert, ca, minVersion } = tlsOptions(tls);
    this.#parts.server.setSecureContext({ key, cert, ca, minVersion });
  }

  close(options?: { readonly graceMs?: number }): Promise<void> {
    this.#closing ??= this.#close(options?.graceMs ?? this.#parts.context.limits.closeGraceMs);
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(graceMs: number): Promise<void> {
    const { server, listeners, context, connections, sockets } = this.#parts;
    connections.stop();
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const exchange of context.open) if (exchange.longRunning) exchange.abort('the server is shutting down');
    listeners.http2.goAway();
    listeners.http1.goAway();
    const grace = new AbortController();
    // Stop waiting as soon as the last client has disconnected.
    void closed.then(() => grace.abort());
    await sleep(context.clock, { ms: graceMs, signal: grace.signal }).catch(() => undefined);
    for (const exchange of context.open) exchange.abort('the server is shutting down');
    listeners.http2.destroy();
    listeners.http1.destroy();
    for (const socket of sockets) socket.destroy();
    await closed;
  }
}

function tlsOptions(tls: HttpServerTls): TlsOptions {
  return {
    key: tls.key,
    cert: tls.certificate,
    ca: tls.clientCa,
    requestCert: true,
    rejectUnauthorized: false,
    minVersion: 'TLSv1.2',
    handshakeTimeout: 10_000,
  };
}

/** Returns an address at which local clients reach a server that listens on `host`, which may be a wildcard address. */
function reachableHost(host: string): string {
  return host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
}

function listen(server: Server, address: { readonly host: string; readonly port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => reject(listenError(address, cause)));
    server.listen(address.port, address.host, 1024, () => {
      server.removeAllListeners('error');
      // Ignore later errors of the listening socket (too many open files): each affects only one connection.
      server.on('error', () => undefined);
      resolve();
    });
  });
}
