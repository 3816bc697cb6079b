import type { ApiRequest } from '../http/api-request.ts';

/**
 * The sender of a request (authentication/v1 `UserInfo`).
 *
 * @example
 * ```ts
 * const operator: UserInfo = {
 *   username: 'system:serviceaccount:shop-system:shop-operator',
 *   groups: ['system:serviceaccounts', 'system:authenticated'],
 * };
 * ```
 */
export interface UserInfo {
  readonly username: string;
  readonly uid?: string | undefined;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

/**
 * Identifies the sender of a request. Returns `undefined` if the request has no credentials that this authenticator
 * checks; then the next authenticator runs.
 *
 * @throws StatusError 401 when credentials are present and wrong.
 *
 * @example
 * ```ts
 * const anonymous: Authenticator = {
 *   authenticate: async () => ({ username: 'system:anonymous', groups: ['system:unauthenticated'] }),
 * };
 * ```
 */
export interface Authenticator {
  authenticate(request: ApiRequest): Promise<UserInfo | undefined>;
}
