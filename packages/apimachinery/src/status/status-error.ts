import { KubewrightError } from '../errors/kubewright-error.ts';
import type { Status, StatusReason } from './status.ts';

/**
 * An error response of the API, such as NotFound or Conflict. The server throws it, and the client recreates it from the
 * response. `message` is the message of the response; `httpStatus` and `reason` identify the kind of failure.
 *
 * @example
 * ```ts
 * if (error instanceof StatusError) console.error(error.status.code, error.status.reason);
 * ```
 */
export class StatusError extends KubewrightError {
  override readonly name: string = 'StatusError';
  /** Identifies the class of failure; {@link StatusError.retryable} tells whether a retry can help. */
  readonly code = 'KW1001';
  /** The response as received, or as it will be sent. */
  readonly status: Status;

  constructor(status: Status, options?: { readonly cause?: unknown }) {
    super({ what: status.message ?? `the API server responded with status ${status.code}` }, options);
    this.status = status;
  }

  /** HTTP status code of the response. */
  get httpStatus(): number {
    return this.status.code;
  }

  /** The API's reason (`NotFound`, `Conflict`, …); empty if the response has none. */
  get reason(): StatusReason {
    return this.status.reason ?? '';
  }

  /**
   * True if the same request may succeed later: after a 429, because the server limits requests, and after a 5xx. A
   * write may have been stored despite a 5xx.
   */
  get retryable(): boolean {
    return this.httpStatus === 429 || this.httpStatus >= 500;
  }

  /** The delay that the server requested before a retry, in seconds. */
  get retryAfterSeconds(): number | undefined {
    return this.status.details?.retryAfterSeconds;
  }
}

/** True if `error` is a {@link StatusError} with that reason. */
export function hasReason(error: unknown, reason: StatusReason): error is StatusError {
  return error instanceof StatusError && error.reason === reason;
}

/**
 * True if the error says that the object, or its kind, does not exist.
 *
 * @example
 * ```ts
 * try {
 *   await client.resource(Pod).get({ namespace: 'default', name: 'web-0' });
 * } catch (error) {
 *   if (!isNotFound(error)) throw error;
 * }
 * ```
 */
export function isNotFound(error: unknown): error is StatusError {
  return hasReason(error, 'NotFound');
}

/**
 * True if the error says that the object has changed since it was read, or that a precondition does not hold: reread it and
 * retry.
 *
 * @example
 * ```ts
 * if (isConflict(error)) await readAgain();
 * ```
 */
export function isConflict(error: unknown): error is StatusError {
  return hasReason(error, 'Conflict');
}

/**
 * True if the error says that an object with that name already exists.
 *
 * @example
 * ```ts
 * if (!isAlreadyExists(error)) throw error;
 * ```
 */
export function isAlreadyExists(error: unknown): error is StatusError {
  return hasReason(error, 'AlreadyExists');
}

/**
 * True if the error says that the requested version is no longer kept (410 `Gone` or `Expired`): list again.
 *
 * @example
 * ```ts
 * if (isGone(error)) await listAgain();
 * ```
 */
export function isGone(error: unknown): error is StatusError {
  return hasReason(error, 'Gone') || hasReason(error, 'Expired');
}

/**
 * True if the error says that the object violates a rule of its kind; retrying with the same object does not help.
 *
 * @example
 * ```ts
 * if (isInvalid(error)) console.error(error.status.details?.causes);
 * ```
 */
export function isInvalid(error: unknown): error is StatusError {
  return hasReason(error, 'Invalid');
}

/**
 * True if the error says that the user is not authorized for the request.
 *
 * @example
 * ```ts
 * if (isForbidden(error)) console.error('the role is missing a rule');
 * ```
 */
export function isForbidden(error: unknown): error is StatusError {
  return hasReason(error, 'Forbidden');
}
