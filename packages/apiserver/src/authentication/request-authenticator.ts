import type { ApiRequest } from '../http/api-request.ts';
import type { Authenticator, UserInfo } from './authenticator.ts';
import { bearerToken } from './bearer-token.ts';

/** The user of a request without credentials. RBAC lets it read /livez, /readyz, /healthz and /version. */
const anonymous: UserInfo = { username: 'system:anonymous', groups: ['system:unauthenticated'] };

/**
 * Runs authenticators in order until one returns a user, and adds the group `system:authenticated` to that user. A
 * request without credentials is anonymous; a request with credentials that no authenticator accepts is rejected.
 * Mirrors the union and group adder of k8s.io/apiserver (1.36).
 */
export class RequestAuthenticator {
  readonly #authenticators: readonly Authenticator[];
  readonly #unauthorized: () => Error;

  /** @param options.unauthorized - builds the 401 for wrong credentials. */
  constructor(options: { readonly authenticators: readonly Authenticator[]; readonly unauthorized: () => Error }) {
    this.#authenticators = options.authenticators;
    this.#unauthorized = options.unauthorized;
  }

  async authenticate(request: ApiRequest): Promise<UserInfo> {
    for (const authenticator of this.#authenticators) {
      const user = await authenticator.authenticate(request);
      if (user !== undefined) return withAuthenticatedGroup(user);
    }
    const { headers, connection } = request;
    const tried =
      bearerToken(request) !== undefined ||
      (headers['authorization'] ?? '') !== '' ||
      connection.clientCertificateError !== undefined;
    if (tried) throw this.#unauthorized();
    return anonymous;
  }
}

function withAuthenticatedGroup(user: UserInfo): UserInfo {
  if (user.groups.includes('system:authenticated') || user.username === anonymous.username) return user;
  return { ...user, groups: [...user.groups, 'system:authenticated'] };
}
