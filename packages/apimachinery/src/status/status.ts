/**
 * The API's response for failures and for calls that return no object (meta/v1 `Status`).
 *
 * @example
 * ```ts
 * const summaryOf = ({ code, reason, message }: Status): string => `${code} ${reason}: ${message}`;
 * const describeError = (error: unknown): string =>
 *   error instanceof StatusError ? summaryOf(error.status) : String(error);
 * ```
 */
export interface Status {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: { readonly [field: string]: unknown };
  readonly status: 'Success' | 'Failure';
  readonly message?: string;
  readonly reason?: StatusReason;
  readonly details?: StatusDetails;
  readonly code: number;
}

/** Details of a failure: the object concerned, and the causes. */
export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

/** A single cause of a failure, usually an invalid field. */
export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

/**
 * Machine-readable reasons of meta/v1 (1.36).
 *
 * @example
 * ```ts
 * const busy: readonly StatusReason[] = ['TooManyRequests', 'ServerTimeout', 'Timeout'];
 * const isBusy = (error: unknown): boolean => busy.some((reason) => hasReason(error, reason));
 * ```
 */
export type StatusReason =
  | ''
  | 'Unauthorized'
  | 'Forbidden'
  | 'NotFound'
  | 'AlreadyExists'
  | 'Conflict'
  | 'Gone'
  | 'Invalid'
  | 'ServerTimeout'
  | 'StoreReadError'
  | 'Timeout'
  | 'TooManyRequests'
  | 'BadRequest'
  | 'MethodNotAllowed'
  | 'NotAcceptable'
  | 'RequestEntityTooLarge'
  | 'UnsupportedMediaType'
  | 'InternalError'
  | 'Expired'
  | 'ServiceUnavailable';
