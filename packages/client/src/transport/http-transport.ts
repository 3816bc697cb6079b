import { type Clock, systemClock } from '@kubewright/apimachinery';
import { defined } from '@kubewright/apimachinery/internal';
import { expectManyListeners } from '../until-aborted.ts';
import { type ClientCredentials, type CredentialProvider, staticCredentials } from './credentials.ts';
import type { ConnectionPool } from './http/connection-pool.ts';
import { type HttpContext, type HttpTuning, resolveTuning, type ServerTrust } from './http/http-options.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';
import { TransportError } from './transport-error.ts';

/** Options for {@link HttpTransport}. */
export interface HttpTransportOptions {
  /** Address of the API server, such as `https://10.0.0.1:6443`; may include a path. */
  readonly server: string;
  readonly trust?: ServerTrust;
  /** @defaultValue anonymous */
  readonly credentials?: CredentialProvider;
  /**
   * Headers sent with every request that does not set them itself (as impersonation does). Names in lower case; a list
   * repeats the header.
   */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** An `http` or `https` proxy that opens a tunnel (`CONNECT`). */
  readonly proxyUrl?: string;
  /** True to request compressed responses, except for watches. @defaultValue true, but false for servers on this machine */
  readonly compression?: boolean;
  /** Protocols offered in the TLS handshake. @defaultValue both protocols */
  readonly protocols?: readonly ('h2' | 'http/1.1')[];
  readonly tuning?: HttpTuning;
  readonly clock?: Clock;
}

/**
 * A transport with persistent connections: HTTP/2, or HTTP/1.1 if the server or a proxy does not support HTTP/2.
 *
 * The first request opens a connection. Long-running requests have separate connections, so that a thousand watches do
 * not delay a get. Another connection is opened when streams run out. A PING detects a dead peer. The client closes
 * idle connections before the server would; they never keep the process alive.
 *
 * @example
 * ```ts
 * const transport: Transport = new HttpTransport({ server: 'https://127.0.0.1:6443', clock: systemClock });
 * ```
 */
export class HttpTransport implements Transport {
  readonly #options: HttpTransportOptions;
  readonly #server: URL;
  readonly #prefix: string;
  readonly #credentials: CredentialProvider;
  readonly #shared: Omit<HttpContext, 'cert' | 'key'>;
  #pool: { readonly connections: ConnectionPool; readonly identity: ClientCredentials } | undefined;
  readonly #retired = new Set<ConnectionPool>();
  #closing: Promise<void> | undefined;
  /** Loads Node's HTTP and TLS on demand, because programs that only make in-process calls never need them. */
  readonly #loading: Promise<{ readonly ConnectionPool: typeof ConnectionPool }>;

  /** @throws TypeError if `server` or `proxyUrl` is not an http or https address. */
  constructor(options: HttpTransportOptions) {
    this.#options = options;
    this.#server = parseServer(options.server);
    this.#prefix = this.#server.pathname.replace(/\/+$/, '');
    this.#credentials = options.credentials ?? staticCredentials({});
    this.#shared = {
      server: this.#server,
      trust: options.trust ?? {},
      proxy: options.proxyUrl === undefined ? undefined : new URL(options.proxyUrl),
      protocols: options.protocols ?? ['h2', 'http/1.1'],
      compression: options.compression ?? !isLoopback(this.#server.hostname),
      tuning: resolveTuning(options.tuning),
      clock: options.clock ?? systemClock,
    };
    // A request is likely to follow soon, so start loading now, in parallel with the work before the request.
    this.#loading = import('./http/connection-pool.ts');
    this.#loading.catch(() => {
      // The first request throws this error.
    });
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    request.signal?.throwIfAborted();
    expectManyListeners(request.signal);
    const { maxRequestBytes } = this.#shared.tuning;
    if (request.body && request.body.byteLength > maxRequestBytes) {
      const text = {
        what: `cannot send ${request.method} ${request.path}`,
        why: `the body has ${request.body.byteLength} bytes; the limit is ${maxRequestBytes} bytes`,
      };
      throw new TransportError('KW2007', text, { sent: false });
    }
    const credentials = await this.#credentials.get({ signal: request.signal });
    const response = await this.#send(request, credentials);
    if (response.status !== 401 || !this.#credentials.reject(credentials)) return response;
    await response.body[Symbol.asyncIterator]().return?.();
    return this.#send(request, await this.#credentials.get({ signal: request.signal }));
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const reason = this.#closedError();
    const pools = [...this.#retired, ...(this.#pool ? [this.#pool.connections] : [])];
    await Promise.all(pools.map((pool) => pool.destroy(reason)));
  }

  #closedError(): TransportError {
    return new TransportError('KW2008', { what: `the transport to ${this.#server.host} is closed` });
  }

  async #send(request: TransportRequest, credentials: ClientCredentials): Promise<TransportResponse> {
    const { ConnectionPool } = await this.#loading;
    if (this.#closing) throw this.#closedError();
    request.signal?.throwIfAborted();
    const compress = this.#shared.compression && !request.longRunning;
    return this.#poolFor(credentials, ConnectionPool).send({
      request,
      path: this.#prefix + request.path,
      headers: {
        ...(compress ? { 'accept-encoding': 'gzip' } : {}),
        ...defined({ authorization: credentials.authorization }),
        ...this.#options.headers,
        ...request.headers,
        ...request.repeatedHeaders,
      },
    });
  }

  /**
   * Returns the connection pool for a client certificate. If the certificate has changed, new connections are opened
   * and the old ones drain.
   */
  #poolFor(credentials: ClientCredentials, Pool: typeof ConnectionPool): ConnectionPool {
    const { cert, key } = credentials;
    const present = this.#pool;
    if (present && present.identity.cert === cert && present.identity.key === key) return present.connections;
    if (present) {
      for (const retired of this.#retired) if (retired.isEmpty) this.#retired.delete(retired);
      present.connections.retire();
      this.#retired.add(present.connections);
    }
    const connections = new Pool({ ...this.#shared, cert, key });
    this.#pool = { connections, identity: credentials };
    return connections;
  }
}

function parseServer(text: string): URL {
  let url: URL;
  try {
    url = new URL(text);
  } catch (cause) {
    throw new TypeError(`invalid API server address ${JSON.stringify(text)}: must be a URL such as https://host:6443`, {
      cause,
    });
  }
  if (url.protocol === 'https:' || url.protocol === 'http:') return url;
  throw new TypeError(`invalid API server address ${JSON.stringify(text)}: must begin with https:// or http://`);
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
}
