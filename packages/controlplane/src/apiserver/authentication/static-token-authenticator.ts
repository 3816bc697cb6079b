import { createHash } from 'node:crypto';
import type { ApiRequest } from '../http/api-request.ts';
import type { Authenticator, UserInfo } from './authenticator.ts';
import { bearerToken } from './bearer-token.ts';

/**
 * Knows a fixed set of bearer tokens, as `kube-apiserver --token-auth-file` does. Only digests are kept, so looking one
 * up takes the same time whatever part of a wrong token is right.
 */
export class StaticTokenAuthenticator implements Authenticator {
  readonly #users = new Map<string, UserInfo>();

  constructor(tokens: ReadonlyMap<string, UserInfo>) {
    for (const [token, user] of tokens) this.#users.set(digest(token), user);
  }

  async authenticate(request: ApiRequest): Promise<UserInfo | undefined> {
    if (this.#users.size === 0) return undefined;
    const token = bearerToken(request);
    return token === undefined ? undefined : this.#users.get(digest(token));
  }
}

function digest(token: string): string {
  return createHash('sha256').update(token).digest('base64');
}
