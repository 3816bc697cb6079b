import type { FieldSelector } from '@kubewright/apimachinery';
import type { UserInfo } from '../authentication/authenticator.ts';

/** An action to authorize: a verb on a resource, or on a non-resource path. */
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
    /** Restricts the objects of a list, watch or deletecollection; absent without a selector, or if it cannot be parsed. */
    readonly fieldSelector?: FieldSelector | undefined;
  };
  /** Present for non-resource requests. */
  readonly path?: string;
}

/** An authorizer's decision; if all return `no-opinion`, the request is denied. */
export interface AuthorizationDecision {
  readonly decision: 'allow' | 'deny' | 'no-opinion';
  readonly reason: string;
}

/** Decides whether a user may perform an action. Must be fast: it runs on every request. */
export interface Authorizer {
  authorize(attributes: AuthorizationAttributes): Promise<AuthorizationDecision>;
}
