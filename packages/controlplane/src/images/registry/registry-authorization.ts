import { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { ErrorText } from '@kubewright/apimachinery/internal';
import { type Challenge, parseChallenges } from './challenge.ts';
import type { Credential } from './credential.ts';
import type { HttpRequest } from './http-connections.ts';
import { isLoopback } from './loopback.ts';
import { readLimited } from './read-limited.ts';
import { accessRemedy, RegistryAccessError, RegistryError, rejection } from './registry-error.ts';

/** Maximum size of a token server's response, in bytes. */
const maxTokenBytes = 1024 * 1024;

/** Options for {@link RegistryAuthorization}. */
export interface RegistryAuthorizationOptions {
  /** Name of the registry, for errors. */
  readonly registry: string;
  readonly credential: Credential | undefined;
  /** The scope to request if the registry names none: `repository:team/app:pull`. */
  readonly scope: string;
  /** Scopes that are always requested. */
  readonly scopes: readonly string[];
  /** Sends a request to the token server. */
  readonly send: (request: Omit<HttpRequest, 'signal'>) => Promise<IncomingMessage>;
}

/** Responds to a registry's challenges: with basic authentication, or with a token from the server that the registry names. */
export class RegistryAuthorization {
  readonly #options: RegistryAuthorizationOptions;
  #pending: Promise<string | undefined> | undefined;
  /** The current value of the header `Authorization`. */
  header: string | undefined;

  constructor(options: RegistryAuthorizationOptions) {
    this.#options = options;
  }

  /**
   * Sets {@link header} to meet the challenge of a response with status 401. Returns false if no other header is possible.
   * Parallel requests share the result.
   *
   * @param rejected - the value of {@link header} that the rejected request had.
   * @throws RegistryError if the token server gives no token.
   */
  async authorize(
    response: IncomingMessage,
    { rejected, isSecure }: { readonly rejected: string | undefined; readonly isSecure: boolean },
  ): Promise<boolean> {
    if (this.header !== rejected) return true;
    this.#pending ??= this.#authorize(parseChallenges(response.headers['www-authenticate'] ?? ''), isSecure).finally(
      () => {
        this.#pending = undefined;
      },
    );
    const header = await this.#pending;
    if (header === undefined || header === rejected) return false;
    this.header = header;
    return true;
  }

  async #authorize(challenges: readonly Challenge[], isSecure: boolean): Promise<string | undefined> {
    const { credential } = this.#options;
    const bearer = challenges.find(({ scheme }) => scheme === 'bearer');
    if (bearer && credential?.type === 'registryToken') return `Bearer ${credential.token}`;
    if (bearer) return `Bearer ${await this.#token(bearer, isSecure)}`;
    const isBasic = challenges.some(({ scheme }) => scheme === 'basic');
    return isBasic && credential?.type === 'password' ? basic(credential) : undefined;
  }

  /** Gets a token as the distribution specification describes it, or with OAuth 2 if the credential is a refresh token. */
  async #token({ parameters }: Challenge, isSecure: boolean): Promise<string> {
    const { credential, scope: ownScope, scopes: needed } = this.#options;
    const { realm = '', service = '', scope = ownScope } = parameters;
    const scopes = needed.length === 0 ? [scope] : combinedScopes([...scope.split(' '), ...needed]);
    const url = this.#realm(realm, isSecure);
    if (credential?.type === 'identityToken') {
      const form = {
        grant_type: 'refresh_token',
        client_id: 'kubewright',
        service,
        scope: scopes.join(' '),
        refresh_token: credential.token,
      };
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      return this.#request(url, { method: 'POST', headers, body: new URLSearchParams(form).toString() });
    }
    if (service !== '') url.searchParams.set('service', service);
    for (const one of scopes) url.searchParams.append('scope', one);
    const headers = credential?.type === 'password' ? { authorization: basic(credential) } : {};
    return this.#request(url, { headers });
  }

  async #request(url: URL, request: Omit<HttpRequest, 'url' | 'signal'>): Promise<string> {
    const response = await this.#options.send({ url, ...request });
    const text = (await readLimited(response, maxTokenBytes)).toString('utf8');
    const { statusCode = 0 } = response;
    const { credential } = this.#options;
    if (statusCode === 401 || statusCode === 403)
      throw new RegistryAccessError({
        ...this.#noToken(url, credential ? 'the credentials were rejected' : 'credentials are required'),
        remedy: accessRemedy({ isPush: this.#options.scopes.length > 0 }),
      });
    // RFC 6749 requires status 400 for an invalid refresh token.
    if (statusCode !== 200)
      throw rejection(statusCode, this.#noToken(url, `the response has the status ${statusCode}`));
    const { token, access_token } = parseTokens(text);
    const found = token || access_token;
    if (typeof found === 'string' && /^[\x21-\x7e]+$/.test(found)) return found;
    throw new RegistryError(this.#noToken(url, 'the response contains no token'));
  }

  /** Returns the URL of the token server. @throws RegistryAccessError if credentials would be sent unencrypted */
  #realm(realm: string, isSecure: boolean): URL {
    const url = URL.canParse(realm) ? new URL(realm) : undefined;
    const isPlain = url?.protocol === 'http:' && (!isSecure || isLoopback(url.hostname));
    if (url && (url.protocol === 'https:' || isPlain)) return url;
    const { registry } = this.#options;
    const why = url ? `the token server ${url.host} does not use HTTPS` : 'the registry names no token server';
    throw new RegistryAccessError({ what: `cannot log in to ${registry}`, why });
  }

  #noToken(url: URL, why: string): ErrorText {
    const { registry } = this.#options;
    return { what: `cannot log in to ${registry}`, why: `the token server ${url.host} returned no token: ${why}` };
  }
}

/** Combines the actions for each repository: `repository:a:pull` and `repository:a:pull,push` become `repository:a:pull,push`. */
function combinedScopes(scopes: readonly string[]): readonly string[] {
  const byResource = new Map<string, Set<string>>();
  for (const scope of scopes) {
    const [, resource = scope, actions] = /^(.+):([^:]*)$/.exec(scope) ?? [];
    const known = byResource.get(resource) ?? new Set();
    byResource.set(resource, known);
    for (const action of actions?.split(',') ?? []) known.add(action);
  }
  return [...byResource].map(([resource, actions]) =>
    [resource, ...(actions.size > 0 ? [[...actions].join()] : [])].join(':'),
  );
}

function basic({ username, password }: Extract<Credential, { readonly type: 'password' }>): string {
  return `Basic ${Buffer.from(`${username}:${password}`, 'utf8').toString('base64')}`;
}

function parseTokens(text: string): { readonly token?: unknown; readonly access_token?: unknown } {
  try {
    return (JSON.parse(text) as { readonly token?: unknown } | null) ?? {};
  } catch {
    // The parser's message quotes the text, which may contain a token.
    return {};
  }
}
