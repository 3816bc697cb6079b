import { createHash } from 'node:crypto';
import type { ApiRequest } from '../http/api-request.ts';
import type { Authenticator, UserInfo } from './authenticator.ts';
import { bearerToken } from './bearer-token.ts';

/**
 * Authenticates a fixed set of bearer tokens, like `kube-apiserver --token-auth-file`. Keeps only digests, so the time of a
 * lookup does not reveal how much of a wrong token is correct.
 *
 * @example
 * ```ts
 * const admin: UserInfo = { username: 'admin', groups: ['system:masters'] };
 * const authenticator = new StaticTokenAuthenticator(new Map([['secret-token', admin]]));
 * ```
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
