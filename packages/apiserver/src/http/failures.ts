import { StatusError } from '@kubewright/apimachinery';
import type { StatusCause } from '@kubewright/apimachinery/meta/v1';
import { failure } from './status-response.ts';

/** Builds the 404 for a path that does not exist, or whose kind is not served. */
export function pathNotFound(): StatusError {
  return failure(404, {
    reason: 'NotFound',
    message: 'the server could not find the requested resource',
    details: {},
  });
}

/** Builds the 409 of a server-side apply, with a cause for each field that another manager owns. */
export function applyConflict(message: string, causes: readonly StatusCause[]): StatusError {
  return failure(409, { reason: 'Conflict', message, details: { causes } });
}

/** Builds the 401 for unknown credentials. */
export function unauthorized(): StatusError {
  return failure(401, { reason: 'Unauthorized', message: 'Unauthorized' });
}

/** Builds the 405 for a path that supports only other methods. */
export function methodNotSupported(): StatusError {
  return failure(405, {
    reason: 'MethodNotAllowed',
    message: 'the server does not allow this method on the requested resource',
    details: {},
  });
}

/** Builds the 406 for a client that accepts none of the media types that the server supports. */
export function notAcceptable(accepted: readonly string[]): StatusError {
  const message = `only the following media types are accepted: ${accepted.join(', ')}`;
  return failure(406, { reason: 'NotAcceptable', message });
}

/** Builds the 406 for an object that cannot be represented in the requested form. */
export function noSuchForm(message: string): StatusError {
  return failure(406, { reason: 'NotAcceptable', message });
}

/** Builds the 415 for a body whose media type the server does not support. */
export function unsupportedMediaType(accepted: readonly string[]): StatusError {
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`;
  return failure(415, { reason: 'UnsupportedMediaType', message });
}

/** Builds the 413 `Request entity too large: <limit>`. */
export function requestEntityTooLarge(limit: string): StatusError {
  return failure(413, { reason: 'RequestEntityTooLarge', message: `Request entity too large: ${limit}` });
}

/** Builds the 410 `Expired` for a resource version that is no longer available, so that the client relists. */
export function expired(message: string): StatusError {
  return failure(410, { reason: 'Expired', message });
}

/** Builds the 429 that tells the client to retry after the given number of seconds. */
export function tooManyRequests(message: string, retryAfterSeconds: number): StatusError {
  return failure(429, { reason: 'TooManyRequests', message, details: { retryAfterSeconds } });
}

/** Builds the 500 `Internal error occurred: <message>`. */
export function internalError(message: string): StatusError {
  return failure(500, {
    reason: 'InternalError',
    message: `Internal error occurred: ${message}`,
    details: { causes: [{ message }] },
  });
}

/** Builds a 500 without a reason, for errors that have no reason upstream. */
export function unknownFailure(message: string): StatusError {
  return new StatusError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 });
}
