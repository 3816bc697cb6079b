import type { GroupVersionResource, ObjectKey } from '@kubewright/apimachinery';
import type { TransportRequest, TransportResponse } from './transport/transport.ts';

/**
 * The API's verbs, as named by RBAC and metrics, and `raw` for requests to arbitrary paths.
 *
 * @example
 * ```ts
 * const reads: readonly Verb[] = ['get', 'list', 'watch'];
 * const readOnly: ClientInterceptor = async (call, next) => {
 *   if (!reads.includes(call.verb)) throw new Error(`${call.verb}: this tool only reads`);
 *   return next(call);
 * };
 * ```
 */
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

/**
 * One attempt of one call, on its way to the transport.
 *
 * @example
 * ```ts
 * const titleOf = ({ verb, target, attempt }: ClientCall): string => `${verb} ${target?.resource ?? ''}, attempt ${attempt}`;
 * const trace: ClientInterceptor = (call, next) => {
 *   log.debug(titleOf(call));
 *   return next(call);
 * };
 * ```
 */
export interface ClientCall {
  readonly verb: Verb;
  /** The target of the call; unset for raw requests and discovery. */
  readonly target?: CallTarget;
  /** 1 for the first attempt, 2 for the first retry. */
  readonly attempt: number;
  readonly request: TransportRequest;
}

/** The resource and, if applicable, the object that a call targets. */
export interface CallTarget extends GroupVersionResource {
  readonly kind: string;
  readonly subresource?: string;
  /** Absent if the call targets all namespaces or a cluster-scoped kind. */
  readonly namespace?: string;
  /** Absent if the call targets a collection. */
  readonly name?: string;
  /** Namespace and name together, if there is a name. */
  readonly key?: ObjectKey;
}

/**
 * Wraps every call by a client: for metrics, traces, injected faults, impersonation.
 *
 * Runs once per attempt; the first interceptor in the list is the outermost. An interceptor may change the request,
 * respond itself, or throw; its errors are handled like transport errors.
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
