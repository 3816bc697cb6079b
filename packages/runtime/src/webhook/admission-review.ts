import type { GroupVersionKind, GroupVersionResource, JsonPatchOperation, Status } from '@kubewright/apimachinery';

/** What is done to the object under review. */
export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** Who asked (authentication/v1 `UserInfo`). */
export interface AdmissionUser {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** The question of an `AdmissionReview` (admission.k8s.io/v1; v1beta1 has the same fields). */
export interface AdmissionRequest {
  readonly uid: string;
  /** Kind of the object as the webhook gets it; `requestKind` is that of the original request. */
  readonly kind: GroupVersionKind;
  readonly resource: GroupVersionResource;
  readonly subResource?: string;
  readonly requestKind?: GroupVersionKind;
  readonly requestResource?: GroupVersionResource;
  readonly requestSubResource?: string;
  /** Missing where the server still has to generate it. */
  readonly name?: string;
  readonly namespace?: string;
  readonly operation: AdmissionOperation;
  readonly userInfo: AdmissionUser;
  /** The new state; null for deletions. */
  readonly object?: unknown;
  /** The present state; null for creations. */
  readonly oldObject?: unknown;
  /** True when nothing will be stored: leave no trace elsewhere either. */
  readonly dryRun?: boolean;
  readonly options?: unknown;
}

/** The answer of an `AdmissionReview`; made by {@link allowed}, {@link denied} and {@link patched}. */
export interface AdmissionResponse {
  readonly allowed: boolean;
  /** Why not, with the code and reason that the caller sees; parts of a `Status`. */
  readonly result?: Partial<Status>;
  /** Changes to the object; of mutating webhooks only. */
  readonly patch?: readonly JsonPatchOperation[];
  /** Shown to the caller as `Warning` headers, 256 characters at most each. */
  readonly warnings?: readonly string[];
  /** Added to the audit event, each key with the webhook's name before it. */
  readonly auditAnnotations?: Readonly<Record<string, string>>;
}

/** Admits the request as it is. */
export function allowed(message?: string): AdmissionResponse {
  return { allowed: true, result: { code: 200, ...(message !== undefined && { message }) } };
}

/** Refuses the request: 403 with that message. */
export function denied(message: string): AdmissionResponse {
  return { allowed: false, result: { code: 403, reason: 'Forbidden', message } };
}

/** Admits the request with changes to its object. */
export function patched(patch: readonly JsonPatchOperation[]): AdmissionResponse {
  return { allowed: true, result: { code: 200 }, patch };
}

/** Refuses the request because it could not be judged. */
export function errored(code: number, message: string): AdmissionResponse {
  return { allowed: false, result: { code, message } };
}
