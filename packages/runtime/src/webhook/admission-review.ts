import type { GroupVersionKind, GroupVersionResource, JsonPatchOperation, Status } from '@kubewright/apimachinery';
import { defined } from '@kubewright/apimachinery/internal';

/** The operation on the object under review. */
export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** The user who sent the request (authentication/v1 `UserInfo`). */
export interface AdmissionUser {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/**
 * The request of an `AdmissionReview` (admission.k8s.io/v1; v1beta1 has the same fields). Integers beyond 2^53 in its objects are
 * bigints, as in objects that the client reads.
 *
 * @example
 * ```ts
 * const isByOperator = ({ userInfo }: AdmissionRequest): boolean =>
 *   userInfo.username === 'system:serviceaccount:shop-system:shop-operator';
 * const handle = (request: AdmissionRequest) => (isByOperator(request) ? allowed() : denied('only the operator may do this'));
 * ```
 */
export interface AdmissionRequest {
  readonly uid: string;
  /** Kind of the object as passed to the webhook; `requestKind` is the kind in the original request. */
  readonly kind: GroupVersionKind;
  readonly resource: GroupVersionResource;
  readonly subResource?: string;
  readonly requestKind?: GroupVersionKind;
  readonly requestResource?: GroupVersionResource;
  readonly requestSubResource?: string;
  /** Missing if the server has yet to generate the name. */
  readonly name?: string;
  readonly namespace?: string;
  readonly operation: AdmissionOperation;
  readonly userInfo: AdmissionUser;
  /** The new state; null for deletes. */
  readonly object?: unknown;
  /** The current state; null for creates. */
  readonly oldObject?: unknown;
  /** True if the object will not be stored (dry run); the webhook must then have no other side effects. */
  readonly dryRun?: boolean;
  readonly options?: unknown;
}

/**
 * The response of an `AdmissionReview`; created by {@link allowed}, {@link denied} and {@link patched}.
 *
 * @example
 * ```ts
 * const handle = (request: AdmissionRequest): AdmissionResponse =>
 *   request.dryRun ? { ...allowed(), warnings: ['nothing is stored'] } : allowed();
 * ```
 */
export interface AdmissionResponse {
  readonly allowed: boolean;
  /** Reason for a denial, with the code and reason shown to the caller; parts of a `Status`. */
  readonly result?: Partial<Status>;
  /** Changes to the object; mutating webhooks only. */
  readonly patch?: readonly JsonPatchOperation[];
  /** Warnings shown to the caller as `Warning` headers, at most 256 characters each. */
  readonly warnings?: readonly string[];
  /** Annotations added to the audit event; each key is prefixed with the webhook's name. */
  readonly auditAnnotations?: Readonly<Record<string, string>>;
}

/** Admits the request unchanged. */
export function allowed(message?: string): AdmissionResponse {
  return { allowed: true, result: { code: 200, ...defined({ message }) } };
}

/** Denies the request with status 403 and the given message. */
export function denied(message: string): AdmissionResponse {
  return { allowed: false, result: { code: 403, reason: 'Forbidden', message } };
}

/**
 * Admits the request with changes to its object.
 *
 * @example
 * ```ts
 * const response = patched([{ op: 'add', path: '/metadata/labels/team', value: 'a' }]);
 * ```
 */
export function patched(patch: readonly JsonPatchOperation[]): AdmissionResponse {
  return { allowed: true, result: { code: 200 }, patch };
}

/** Denies the request because it could not be evaluated. */
export function errored(code: number, message: string): AdmissionResponse {
  return { allowed: false, result: { code, message } };
}
