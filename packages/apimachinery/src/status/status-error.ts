import type { Status, StatusReason } from './status.ts';

/**
 * An answer of the API that is a failure, as an error. Both sides use it: the server throws it, the client rebuilds it
 * from the answer. `message` is the API's own; `httpStatus` and `reason` say what kind of failure it is.
 */
export class StatusError extends Error {
  /** Names the class of failure; whether a retry helps is said by `reason` and {@link StatusError.retryAfterSeconds}. */
  readonly code = 'KW1001';
  /** The answer as it came, or as it will be sent. */
  readonly status: Status;

  constructor(status: Status, options?: { readonly cause?: unknown }) {
    super(status.message ?? `the API server answered ${status.code}`, options);
    this.name = 'StatusError';
    this.status = status;
  }

  /** HTTP status code of the answer. */
  get httpStatus(): number {
    return this.status.code;
  }

  /** What kind of failure it is, in the API's words (`NotFound`, `Conflict`, …); empty when the answer names none. */
  get reason(): StatusReason {
    return this.status.reason ?? '';
  }

  /** How long the server asked to wait before another try, in seconds. */
  get retryAfterSeconds(): number | undefined {
    return this.status.details?.retryAfterSeconds;
  }
}

/** True if `error` is a {@link StatusError} with that reason. */
export function hasReason(error: unknown, reason: StatusReason): error is StatusError {
  return error instanceof StatusError && error.reason === reason;
}

/** The object, or its kind, is not there. */
export function isNotFound(error: unknown): error is StatusError {
  return hasReason(error, 'NotFound');
}

/** The object has changed since it was read, or a precondition does not hold: read again and retry. */
export function isConflict(error: unknown): error is StatusError {
  return hasReason(error, 'Conflict');
}

/** An object of that name is already there. */
export function isAlreadyExists(error: unknown): error is StatusError {
  return hasReason(error, 'AlreadyExists');
}

/** The version asked for is no longer kept (410 `Gone` or `Expired`): list again. */
export function isGone(error: unknown): error is StatusError {
  return hasReason(error, 'Gone') || hasReason(error, 'Expired');
}

/** The object breaks a rule of its kind; retrying the same object is no use. */
export function isInvalid(error: unknown): error is StatusError {
  return hasReason(error, 'Invalid');
}

/** The user may not do this. */
export function isForbidden(error: unknown): error is StatusError {
  return hasReason(error, 'Forbidden');
}
