import type { IncomingMessage } from 'node:http';
import { defined } from '@kubewright/apimachinery/internal';
import type { Credential } from './credential.ts';
import type { HttpConnections, HttpRequest } from './http-connections.ts';
import { isLoopback } from './loopback.ts';
import { RegistryAuthorization } from './registry-authorization.ts';
import { RegistryError } from './registry-error.ts';
import { type RetryContext, withRetries } from './retry.ts';

/** Options for {@link RegistrySession}. */
export interface RegistrySessionOptions {
  /** The registry of a complete image name: `docker.io`, `localhost:5000`. */
  readonly domain: string;
  /** The repository in the registry: `library/busybox`. */
  readonly path: string;
  readonly credential: Credential | undefined;
  /** Registries that do not use HTTPS, in addition to those on this machine. */
  readonly plainHttp: ReadonlySet<string>;
  readonly connections: HttpConnections;
  readonly retry: RetryContext;
  /**
   * Scopes that the requests need in addition to the scopes that the registry requests:
   * `repository:team/app:pull,push`.
   *
   * @defaultValue none
   */
  readonly scopes?: readonly string[] | undefined;
}

/** A request to a registry. */
export interface RegistryRequest extends Pick<HttpRequest, 'method' | 'headers' | 'body'> {
  /** The path below the repository (`manifests/1.0`), or a URL that the registry returned. */
  readonly target: string | URL;
}

const maxRedirects = 5;
const redirects = new Set([301, 302, 303, 307, 308]);
/** Errors of a TLS handshake with a server that speaks HTTP. */
const notTls = new Set(['EPROTO', 'ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG']);

/** Reads and writes one repository of a registry (OCI distribution specification 1.1) with one credential. */
export class RegistrySession {
  readonly #options: RegistrySessionOptions;
  readonly #authorization: RegistryAuthorization;
  /** Undefined until it is known whether the registry uses HTTPS. */
  #scheme: 'http' | 'https' | undefined;

  constructor(options: RegistrySessionOptions) {
    const { domain, path, credential, connections, plainHttp, retry, scopes = [] } = options;
    this.#options = options;
    this.#authorization = new RegistryAuthorization({
      registry: domain,
      credential,
      scope: `repository:${path}:pull`,
      scopes,
      send: (request) => withRetries(() => connections.send({ ...request, signal: retry.signal }), retry),
    });
    if (plainHttp.has(domain)) this.#scheme = 'http';
    else if (!isLoopback(new URL(`https://${domain}`).hostname)) this.#scheme = 'https';
  }

  /**
   * Gets a manifest or blob: `manifests/1.0`. Logs in if necessary, follows redirects and retries.
   *
   * @throws RegistryError if the registry cannot be used; the connection's error; or the signal's reason if it is aborted.
   */
  get(target: string, headers: Readonly<Record<string, string>> = {}): Promise<IncomingMessage> {
    return this.send({ target, headers });
  }

  /** Like {@link get}, for any request. Only reads follow redirects. */
  send(request: RegistryRequest): Promise<IncomingMessage> {
    return withRetries(() => this.sendOnce(request), this.#options.retry);
  }

  /** Sends a request without retries: the caller retries. */
  async sendOnce(request: RegistryRequest): Promise<IncomingMessage> {
    for (let attempt = 0; ; attempt++) {
      const authorization = this.#authorization.header;
      const headers = { ...request.headers, ...defined({ authorization }) };
      const { response, isOwn } = await this.#found({ ...request, headers });
      // Only the registry itself may name a token server, because the credentials are sent there.
      if (response.statusCode !== 401 || !isOwn || attempt === 2) return response;
      const isSecure = this.#scheme === 'https';
      if (!(await this.#authorization.authorize(response, { rejected: authorization, isSecure }))) return response;
      discard(response);
    }
  }

  /**
   * Resolves the `Location` of a response to a request for `target`.
   *
   * @throws RegistryError if the header is missing or its URL is not HTTPS
   */
  locationOf({ headers }: IncomingMessage, target: string): URL {
    const { location = '' } = headers;
    const url = this.#url(target);
    if (location === '' || !URL.canParse(location, url.href))
      throw this.#unusable('the registry returned no upload URL');
    return this.#checked(new URL(location, url), { from: url, does: 'sends uploads' });
  }

  /**
   * Follows redirects of reads. Only the registry itself gets the credentials. `isOwn` is true if the response comes from the registry
   * and not from another server.
   */
  async #found(
    request: RegistryRequest & { readonly headers: HttpRequest['headers'] },
  ): Promise<{ readonly response: IncomingMessage; readonly isOwn: boolean }> {
    const { connections, retry } = this.#options;
    const { method = 'GET', target, headers } = request;
    let response = await this.#direct(request);
    let url = this.#url(target);
    const { origin } = this.#url('');
    const isRead = method === 'GET' || method === 'HEAD';
    for (let count = 0; isRead && redirects.has(response.statusCode ?? 0); count++) {
      const { location = '' } = response.headers;
      discard(response);
      if (count === maxRedirects || !URL.canParse(location, url.href))
        throw this.#unusable('the registry redirects too many times');
      url = this.#checked(new URL(location, url), { from: url, does: 'redirects' });
      const sent = url.origin === origin ? headers : withoutCredentials(headers);
      response = await connections.send({ method, url, headers: sent, signal: retry.signal });
    }
    return { response, isOwn: url.origin === origin };
  }

  /**
   * Sends a request to the registry. If it is unknown whether the registry uses HTTPS, tries HTTPS first, then HTTP.
   */
  async #direct({ target, ...request }: RegistryRequest): Promise<IncomingMessage> {
    const { connections, retry } = this.#options;
    const { signal } = retry;
    if (target instanceof URL) {
      const isOwn = target.origin === this.#url('').origin;
      const headers = isOwn ? request.headers : withoutCredentials(request.headers);
      return connections.send({ ...request, headers, url: target, signal });
    }
    if (this.#scheme !== undefined) return connections.send({ ...request, url: this.#url(target), signal });
    try {
      const response = await connections.send({ ...request, url: this.#url(target), signal });
      this.#scheme = 'https';
      return response;
    } catch (error) {
      if (!notTls.has(String((error as NodeJS.ErrnoException).code))) throw error;
      this.#scheme = 'http';
      return connections.send({ ...request, url: this.#url(target), signal });
    }
  }

  /**
   * Returns the URL if a request may be sent to it. @throws RegistryError if content or credentials would leave the encrypted
   * connection
   */
  #checked(url: URL, { from, does }: { readonly from: URL; readonly does: string }): URL {
    if (url.protocol === 'https:' || (from.protocol === 'http:' && url.protocol === 'http:')) return url;
    throw this.#unusable(`the registry ${does} to ${url.host} without HTTPS`);
  }

  #url(target: string | URL): URL {
    if (target instanceof URL) return target;
    const { domain, path } = this.#options;
    const host = domain === 'docker.io' ? 'registry-1.docker.io' : domain;
    return new URL(`${this.#scheme ?? 'https'}://${host}/v2/${path}/${target}`);
  }

  #unusable(why: string): RegistryError {
    return new RegistryError({ what: `cannot use the registry ${this.#options.domain}`, why });
  }
}

function withoutCredentials(headers: HttpRequest['headers'] = {}): Readonly<Record<string, string>> {
  const { authorization: _, ...others } = headers;
  return others;
}

/** Reads the rest of a response, so that the connection can be reused. */
export function discard(response: IncomingMessage): void {
  response.on('error', () => undefined).resume();
}
