import type { FieldSelector } from '@kubewright/apimachinery';
import type { UserInfo } from '../authentication/authenticator.ts';

/** What somebody wants to do: a verb on a resource, or on a path that is no resource. */
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
    /** To which objects a list, watch or deletecollection is limited; absent without limits or when they cannot be read. */
    readonly fieldSelector?: FieldSelector | undefined;
  };
  /** Present for requests outside resources. */
  readonly path?: string;
}

/** An authorizer's answer; `no-opinion` from all of them means denied. */
export interface AuthorizationDecision {
  readonly decision: 'allow' | 'deny' | 'no-opinion';
  readonly reason: string;
}

/** Decides whether somebody may do something. Must be fast: it runs on every request. */
export interface Authorizer {
  authorize(attributes: AuthorizationAttributes): Promise<AuthorizationDecision>;
}
