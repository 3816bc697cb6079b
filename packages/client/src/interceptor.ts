import type { GroupVersionResource, ObjectKey } from '@kubewright/apimachinery';
import type { TransportRequest, TransportResponse } from './transport/transport.ts';

/** The API's verbs, as RBAC and metrics name them, and `raw` for requests that are on no resource. */
export type Verb =
  | 'get'
  | 'list'
  | 'watch'
  | 'create'
  | 'update'
  | 'patch'
  | 'apply'
  | 'delete'
  | 'deletecollection'
  | 'raw';

/** One try of one call, on its way to the transport. */
export interface ClientCall {
  readonly verb: Verb;
  /** What the call is on; unset for raw requests and discovery. */
  readonly target?: CallTarget;
  /** 1 for the first try, 2 for the first retry. */
  readonly attempt: number;
  readonly request: TransportRequest;
}

/** The resource, and where there is one, the object, that a call is on. */
export interface CallTarget extends GroupVersionResource {
  readonly kind: string;
  readonly subresource?: string;
  /** Absent when the call is on a collection of all namespaces, or on a cluster-scoped kind. */
  readonly namespace?: string;
  /** Absent when the call is on a collection. */
  readonly name?: string;
  /** Namespace and name together, where there is a name. */
  readonly key?: ObjectKey;
}

/**
 * Wraps every call of a client: for metrics, traces, injected faults, impersonation.
 *
 * Runs once per try, the first of the list outermost. It may change the request, answer by itself, or throw; what it
 * throws is handled as if the transport had thrown it.
 *
 * @example
 * const count: ClientInterceptor = async (call, next) => {
 *   const response = await next(call);
 *   requests.inc({ verb: call.verb, code: response.status });
 *   return response;
 * };
 */
export type ClientInterceptor = (
  call: ClientCall,
  next: (call: ClientCall) => Promise<TransportResponse>,
) => Promise<TransportResponse>;
