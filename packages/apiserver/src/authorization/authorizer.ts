import type { FieldSelector } from '@kubewright/apimachinery';
import type { UserInfo } from '../authentication/authenticator.ts';

/**
 * An action to authorize: a verb on a resource, or on a non-resource path.
 *
 * @example
 * ```ts
 * const isRead = ({ verb }: AuthorizationAttributes): boolean => ['get', 'list', 'watch'].includes(verb);
 * ```
 */
export interface AuthorizationAttributes {
  readonly user: UserInfo;
  /** get, list, watch, create, update, patch, delete, deletecollection, or a lower-case HTTP method for paths. */
  readonly verb: string;
  /** Present for resource requests. */
  readonly resource?: {
    readonly group: string;
    readonly version: string;
    readonly resource: string;
    readonly subresource: string;
    readonly namespace: string;
    readonly name: string;
    /**
     * Restricts the objects of a list, watch or deletecollection; absent if there is no selector or it cannot be
     * parsed.
     */
    readonly fieldSelector?: FieldSelector | undefined;
  };
  /** Present for non-resource requests. */
  readonly path?: string;
}

/**
 * An authorizer's decision; if all authorizers return `no-opinion`, the request is denied.
 *
 * @example
 * ```ts
 * const allow: AuthorizationDecision = { decision: 'allow', reason: 'reads are open to all users' };
 * const noOpinion: AuthorizationDecision = { decision: 'no-opinion', reason: '' };
 * ```
 */
export interface AuthorizationDecision {
  readonly decision: 'allow' | 'deny' | 'no-opinion';
  readonly reason: string;
}

/**
 * Decides whether a user may perform an action. Must be fast: it runs on every request.
 *
 * @example
 * ```ts
 * const readers: Authorizer = {
 *   authorize: async ({ verb, user }) =>
 *     verb === 'get' && user.groups.includes('readers')
 *       ? { decision: 'allow', reason: 'member of readers' }
 *       : { decision: 'no-opinion', reason: '' },
 * };
 * ```
 */
export interface Authorizer {
  authorize(attributes: AuthorizationAttributes): Promise<AuthorizationDecision>;
}
