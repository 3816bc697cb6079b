import type { IncomingMessage } from 'node:http';
import { defined } from '@kubewright/apimachinery/internal';
import type { Credential } from './credential.ts';
import type { HttpConnections } from './http-connections.ts';
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
  /** Registries, besides those of this machine, that do not use HTTPS. */
  readonly plainHttp: ReadonlySet<string>;
  readonly connections: HttpConnections;
  readonly retry: RetryContext;
}

const maxRedirects = 5;
const redirects = new Set([301, 302, 303, 307, 308]);
/** Errors of a TLS handshake with a server that speaks HTTP. */
const notTls = new Set(['EPROTO', 'ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG']);

/** Reads one repository of a registry (OCI distribution specification 1.1) with one credential. */
export class RegistrySession {
  readonly #options: RegistrySessionOptions;
  readonly #authorization: RegistryAuthorization;
  /** Undefined until it is known whether the registry uses HTTPS. */
  #scheme: 'http' | 'https' | undefined;

  constructor(options: RegistrySessionOptions) {
    const { domain, path, credential, connections, plainHttp, retry } = options;
    this.#options = options;
    this.#authorization = new RegistryAuthorization({
      registry: domain,
      credential,
      scope: `repository:${path}:pull`,
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
  get(what: string, headers: Readonly<Record<string, string>> = {}): Promise<IncomingMessage> {
    return withRetries(() => this.#authorized(what, headers), this.#options.retry);
  }

  async #authorized(what: string, headers: Readonly<Record<string, string>>): Promise<IncomingMessage> {
    for (let attempt = 0; ; attempt++) {
      const authorization = this.#authorization.header;
      const response = await this.#found(what, { ...headers, ...defined({ authorization }) });
      if (response.statusCode !== 401 || attempt === 2) return response;
      const isSecure = this.#scheme === 'https';
      if (!(await this.#authorization.authorize(response, { rejected: authorization, isSecure }))) return response;
      discard(response);
    }
  }

  /** Follows redirects. Only the registry itself gets the credentials. */
  async #found(what: string, headers: Readonly<Record<string, string>>): Promise<IncomingMessage> {
    const { connections, retry } = this.#options;
    const { authorization: _, ...anonymous } = headers;
    let response = await this.#direct(what, headers);
    let url = this.#url(what, this.#scheme ?? 'https');
    const { origin } = url;
    for (let count = 0; redirects.has(response.statusCode ?? 0); count++) {
      const { location = '' } = response.headers;
      discard(response);
      if (count === maxRedirects || !URL.canParse(location, url.href)) throw this.#unusable('it redirects without end');
      const target = new URL(location, url);
      if (target.protocol !== 'https:' && (url.protocol === 'https:' || target.protocol !== 'http:'))
        throw this.#unusable(`it redirects to ${target.host} without HTTPS`);
      url = target;
      const sent = target.origin === origin ? headers : anonymous;
      response = await connections.send({ url, headers: sent, signal: retry.signal });
    }
    return response;
  }

  /** Sends a request to the registry. A registry on this machine may or may not use HTTPS, so HTTPS is tried first. */
  async #direct(what: string, headers: Readonly<Record<string, string>>): Promise<IncomingMessage> {
    const { connections, retry } = this.#options;
    const { signal } = retry;
    if (this.#scheme !== undefined) return connections.send({ url: this.#url(what, this.#scheme), headers, signal });
    try {
      const response = await connections.send({ url: this.#url(what, 'https'), headers, signal });
      this.#scheme = 'https';
      return response;
    } catch (error) {
      if (!notTls.has(String((error as NodeJS.ErrnoException).code))) throw error;
      this.#scheme = 'http';
      return connections.send({ url: this.#url(what, 'http'), headers, signal });
    }
  }

  #url(what: string, scheme: 'http' | 'https'): URL {
    const { domain, path } = this.#options;
    const host = domain === 'docker.io' ? 'registry-1.docker.io' : domain;
    return new URL(`${scheme}://${host}/v2/${path}/${what}`);
  }

  #unusable(why: string): RegistryError {
    return new RegistryError({ what: `cannot use the registry ${this.#options.domain}`, why });
  }
}

/** Reads the rest of a response, so that its connection can be used again. */
function discard(response: IncomingMessage): void {
  response.on('error', () => undefined).resume();
}
