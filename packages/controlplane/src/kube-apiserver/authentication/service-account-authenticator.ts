import type { ApiRequest, Authenticator, UserInfo } from '@kubewright/apiserver';
import { bearerToken, type ReadObject } from '@kubewright/apiserver/internal';
import type { LegacyTokens } from './legacy-token.ts';
import type { BoundObject, ServiceAccountClaims, ServiceAccountTokens } from './service-account-token.ts';

/**
 * Time for which a token stays valid after its bound object should have been deleted, in milliseconds (as in upstream,
 * 1.36).
 */
const leewayMs = 60_000;

/**
 * Accepts this server's service account tokens as long as the account, and the pod, secret or node that the token is bound to,
 * exist with the UID in the token. An object that should have been deleted more than a minute ago no longer counts.
 */
export class ServiceAccountAuthenticator implements Authenticator {
  readonly #tokens: ServiceAccountTokens;
  readonly #read: ReadObject;
  readonly #legacy: LegacyTokens | undefined;

  /** @param options - `legacy`: if set, tokens of Secrets are accepted too. */
  constructor(options: {
    readonly tokens: ServiceAccountTokens;
    readonly read: ReadObject;
    readonly legacy?: LegacyTokens | undefined;
  }) {
    this.#tokens = options.tokens;
    this.#read = options.read;
    this.#legacy = options.legacy;
  }

  async authenticate(request: ApiRequest): Promise<UserInfo | undefined> {
    const token = bearerToken(request);
    return token === undefined ? undefined : (await this.review(token, []))?.user;
  }

  /**
   * Verifies a token for the given audiences; an empty list means the server's own audience.
   *
   * @returns the user, and the given audiences for which the token is valid; undefined if the token is not valid.
   */
  async review(
    token: string,
    audiences: readonly string[],
  ): Promise<{ readonly user: UserInfo; readonly audiences: readonly string[] } | undefined> {
    const claims = this.#tokens.read(token);
    if (claims === undefined) return this.#reviewLegacy(token, audiences);
    const wanted = audiences.length > 0 ? audiences : [this.#tokens.issuer];
    const shared = claims.aud.filter((audience) => wanted.includes(audience));
    if (shared.length === 0 || !(await this.#stillBound(claims))) return undefined;
    return { user: userOf(claims), audiences: shared };
  }

  /** Verifies a legacy token, which is valid only for the server's own audience. */
  async #reviewLegacy(
    token: string,
    audiences: readonly string[],
  ): Promise<{ readonly user: UserInfo; readonly audiences: readonly string[] } | undefined> {
    const { issuer } = this.#tokens;
    if (audiences.length > 0 && !audiences.includes(issuer)) return undefined;
    const held = await this.#legacy?.review(token);
    return held && { user: accountUser(held.namespace, held.serviceAccount), audiences: [issuer] };
  }

  async #stillBound(claims: ServiceAccountClaims): Promise<boolean> {
    const { namespace, serviceaccount, pod, secret, node } = claims['kubernetes.io'];
    const checks: readonly [string, BoundObject | undefined, { readonly namespace?: string }][] = [
      ['serviceaccounts', serviceaccount, { namespace }],
      ['pods', pod, { namespace }],
      ['secrets', secret, { namespace }],
      // A pod's token also names the pod's node, but only for information: the token lives as long as the pod.
      ['nodes', pod ? undefined : node, {}],
    ];
    const goneSinceMs = this.#tokens.clock.now() - leewayMs;
    for (const [resource, bound, scope] of checks) {
      if (bound === undefined) continue;
      const found = await this.#read({ group: '', resource, name: bound.name, ...scope });
      if (found?.metadata.uid !== bound.uid) return false;
      const { deletionTimestamp } = found.metadata;
      if (deletionTimestamp && Date.parse(deletionTimestamp) < goneSinceMs) return false;
    }
    return true;
  }
}

function userOf(claims: ServiceAccountClaims): UserInfo {
  const { namespace, serviceaccount, pod, node } = claims['kubernetes.io'];
  const extra: Record<string, readonly string[]> = {
    'authentication.kubernetes.io/credential-id': [`JTI=${claims.jti}`],
  };
  if (pod) {
    extra['authentication.kubernetes.io/pod-name'] = [pod.name];
    extra['authentication.kubernetes.io/pod-uid'] = [pod.uid];
  }
  if (node) {
    extra['authentication.kubernetes.io/node-name'] = [node.name];
    extra['authentication.kubernetes.io/node-uid'] = [node.uid];
  }
  return { ...accountUser(namespace, serviceaccount), extra };
}

function accountUser(namespace: string, { name, uid }: BoundObject): UserInfo {
  return {
    username: `system:serviceaccount:${namespace}:${name}`,
    uid,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`],
  };
}
