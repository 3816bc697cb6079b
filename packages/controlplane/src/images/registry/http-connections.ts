import type { Buffer } from 'node:buffer';
import { createReadStream } from 'node:fs';
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { isIPv6 } from 'node:net';
import type { Duplex } from 'node:stream';
import { type ConnectionOptions, connect as connectTls, createSecureContext, type SecureContext } from 'node:tls';
import { EnvironmentProxy, nodeHttp } from '@kubewright/client/internal';

const { Agent: HttpAgent, request: requestHttp } = nodeHttp();

/** Idle time after which a connection is closed, in milliseconds. */
const idleMs = 30_000;

/** Like {@link idleMs}, for requests that upload a file: registries check and move the file before they respond. */
const uploadIdleMs = 120_000;

/** A file that is the body of a request. */
export interface FileBody {
  readonly path: string;
  readonly size: number;
}

/** An HTTP request. */
export interface HttpRequest {
  readonly url: URL;
  /** @defaultValue 'GET' */
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | Buffer | FileBody | undefined;
  readonly signal: AbortSignal;
}

type Environment = Readonly<Record<string, string | undefined>>;
type SocketCallback = (error: Error | null, socket: Duplex) => void;

/** Node's agents do not pass on a request's signal, so requests carry it once more for a pending tunnel. */
interface TunnelOptions {
  readonly tunnelSignal?: AbortSignal | undefined;
}

/** An HTTPS agent that connects through the proxy that the environment sets for a server, if any. */
class TunnelingAgent extends HttpsAgent {
  readonly #env: Environment;

  constructor(options: ConstructorParameters<typeof HttpsAgent>[0], env: Environment) {
    super(options);
    this.#env = env;
  }

  override createConnection(
    options: ConnectionOptions & TunnelOptions,
    callback?: SocketCallback,
  ): Duplex | null | undefined {
    const { host = '', port = 443, secureContext, tunnelSignal } = options;
    const url = new URL(`https://${isIPv6(host) ? `[${host}]` : host}:${port}`);
    const proxy = EnvironmentProxy.for(url, this.#env);
    if (!proxy) return super.createConnection(options, callback);
    const late = new AbortController();
    const why = new Error(`the proxy ${proxy.url.host} does not respond`);
    // seam: the time limit of a real connection
    const timer = setTimeout(() => late.abort(why), idleMs);
    const signal = tunnelSignal ? AbortSignal.any([tunnelSignal, late.signal]) : late.signal;
    const tunnel = proxy.tunnel({ host, port, signal, secureContext }).finally(() => clearTimeout(timer));
    tunnel.then(
      (socket) => callback?.(null, connectTls({ ...options, socket })),
      // The callback's type requires a socket even with an error; the agent checks the error first.
      (error: Error) => (callback as ((error: Error) => void) | undefined)?.(error),
    );
    return undefined;
  }
}

/**
 * Sends requests over HTTP/1.1 and reuses connections. Follows no redirects. Uses the proxies of the environment: with a tunnel for
 * HTTPS, otherwise by sending the request to the proxy.
 */
export class HttpConnections implements Disposable {
  readonly #http = new HttpAgent({ keepAlive: true });
  readonly #certificates: () => readonly string[];
  readonly #env: Environment;
  #https: HttpsAgent | undefined;
  #context: SecureContext | undefined;

  /**
   * @param options - `certificates`: returns the certificate authorities to trust (PEM); called for the first HTTPS request. `env`: the
   *   environment with `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`.
   */
  constructor({ certificates, env }: { readonly certificates: () => readonly string[]; readonly env: Environment }) {
    this.#certificates = certificates;
    this.#env = env;
  }

  /**
   * Resolves once the response's headers have arrived. The caller reads the body, or destroys the response.
   *
   * @throws TransportError `KW2009` if a proxy cannot be used; the connection's error; the signal's reason.
   */
  async send({ url, method = 'GET', headers = {}, body, signal }: HttpRequest): Promise<IncomingMessage> {
    const file = typeof body === 'object' && 'path' in body ? body : undefined;
    const length = file ? { 'content-length': String(file.size) } : {};
    const start = this.#starter(url);
    return await new Promise((resolve, reject) => {
      const request = start({ method, headers: { 'user-agent': 'kubewright', ...length, ...headers }, signal });
      const limitMs = file ? uploadIdleMs : idleMs;
      // seam: the idle limit of a real connection
      request.setTimeout(limitMs, () => {
        const why = `no data from ${url.host} for ${limitMs / 1_000} seconds`;
        request.destroy(Object.assign(new Error(why), { code: 'ETIMEDOUT' }));
      });
      request.on('error', reject);
      request.once('response', resolve);
      if (file) upload(file.path, request);
      else request.end(body);
    });
  }

  [Symbol.dispose](): void {
    this.#http.destroy();
    this.#https?.destroy();
  }

  #starter(url: URL): (options: RequestOptions) => ClientRequest {
    if (url.protocol === 'https:') {
      return ({ signal, ...options }) => {
        const settings = { ...options, signal, tunnelSignal: signal, agent: this.#secureAgent() };
        return requestHttps(url, settings);
      };
    }
    const proxy = EnvironmentProxy.for(url, this.#env);
    if (!proxy) return (options) => requestHttp(url, { ...options, agent: this.#http });
    const isSecure = proxy.url.protocol === 'https:';
    const start = isSecure ? requestHttps : requestHttp;
    return ({ headers, ...options }) =>
      start(proxy.url, {
        ...options,
        ...(isSecure && proxy.tls(this.#secureContext())),
        agent: false,
        path: url.href,
        headers: { ...headers, host: url.host, ...proxy.credentials },
      });
  }

  #secureAgent(): HttpsAgent {
    this.#https ??= new TunnelingAgent({ keepAlive: true, secureContext: this.#secureContext() }, this.#env);
    return this.#https;
  }

  /** Parsing hundreds of certificates takes time, so all connections, also those to proxies, share one context. */
  #secureContext(): SecureContext {
    this.#context ??= createSecureContext({ ca: [...this.#certificates()], allowPartialTrustChain: true });
    return this.#context;
  }
}

/** Sends a file. A server that responds early, with an error, does not read the whole file. */
function upload(path: string, request: ClientRequest): void {
  const source = createReadStream(path);
  source.on('error', (error) => request.destroy(error));
  request.once('close', () => source.destroy());
  source.pipe(request);
}
