import type { Buffer } from 'node:buffer';
import { createReadStream } from 'node:fs';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { createSecureContext } from 'node:tls';

// An import would also load all of Node's fetch, which is not needed here.
const { Agent: HttpAgent, request: requestHttp } = process.getBuiltinModule('node:http');

/** A connection without data for this long is closed, in milliseconds. */
const idleMs = 30_000;

/** Like {@link idleMs}, for requests that upload a file: registries check and move it before they respond. */
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

/** Sends requests over HTTP/1.1 and reuses connections. Follows no redirects. */
export class HttpConnections implements Disposable {
  readonly #http = new HttpAgent({ keepAlive: true });
  readonly #certificates: () => readonly string[];
  #https: HttpsAgent | undefined;

  /** @param certificates - returns the certificate authorities to trust (PEM); called for the first HTTPS request. */
  constructor(certificates: () => readonly string[]) {
    this.#certificates = certificates;
  }

  /** Resolves once the response's headers have arrived. The caller reads the body, or destroys the response. */
  send({ url, method = 'GET', headers = {}, body, signal }: HttpRequest): Promise<IncomingMessage> {
    const file = typeof body === 'object' && 'path' in body ? body : undefined;
    const length = file ? { 'content-length': String(file.size) } : {};
    const options = { method, headers: { 'user-agent': 'kubewright', ...length, ...headers }, signal };
    return new Promise((resolve, reject) => {
      const request =
        url.protocol === 'https:'
          ? requestHttps(url, { ...options, agent: this.#secureAgent() })
          : requestHttp(url, { ...options, agent: this.#http });
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

  #secureAgent(): HttpsAgent {
    // Parsing hundreds of certificates takes time, so all connections share one context.
    this.#https ??= new HttpsAgent({
      keepAlive: true,
      secureContext: createSecureContext({ ca: [...this.#certificates()], allowPartialTrustChain: true }),
    });
    return this.#https;
  }
}

/** Sends a file. A server that responds early, with an error, does not read the whole file. */
function upload(path: string, request: ClientRequest): void {
  const source = createReadStream(path);
  source.on('error', (error) => request.destroy(error));
  request.once('close', () => source.destroy());
  source.pipe(request);
}
