import { StatusError } from '@kubewright/apimachinery';
import type { StatusCause } from '@kubewright/apimachinery/meta/v1';
import { failure } from './status-response.ts';

/** 404: the path does not exist, or its kind is not served. */
export function pathNotFound(): StatusError {
  return failure(404, {
    reason: 'NotFound',
    message: 'the server could not find the requested resource',
    details: {},
  });
}

/** 409 from a server-side apply: one cause for each field that another manager owns. */
export function applyConflict(message: string, causes: readonly StatusCause[]): StatusError {
  return failure(409, { reason: 'Conflict', message, details: { causes } });
}

/** 401: the API server's response to unknown credentials. */
export function unauthorized(): StatusError {
  return failure(401, { reason: 'Unauthorized', message: 'Unauthorized' });
}

/** 405 for a path that supports only other methods. */
export function methodNotSupported(): StatusError {
  return failure(405, {
    reason: 'MethodNotAllowed',
    message: 'the server does not allow this method on the requested resource',
    details: {},
  });
}

/** 406: the server supports none of the media types that the client accepts. */
export function notAcceptable(accepted: readonly string[]): StatusError {
  const message = `only the following media types are accepted: ${accepted.join(', ')}`;
  return failure(406, { reason: 'NotAcceptable', message });
}

/** 406: the object cannot be represented in the requested form. */
export function noSuchForm(message: string): StatusError {
  return failure(406, { reason: 'NotAcceptable', message });
}

/** 415: the server does not support the media type of the body. */
export function unsupportedMediaType(accepted: readonly string[]): StatusError {
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`;
  return failure(415, { reason: 'UnsupportedMediaType', message });
}

/** 413: `Request entity too large: <limit>`. */
export function requestEntityTooLarge(limit: string): StatusError {
  return failure(413, { reason: 'RequestEntityTooLarge', message: `Request entity too large: ${limit}` });
}

/** 410 `Expired`: the requested version is no longer kept; list again. */
export function expired(message: string): StatusError {
  return failure(410, { reason: 'Expired', message });
}

/** 429: retry after the given number of seconds. */
export function tooManyRequests(message: string, retryAfterSeconds: number): StatusError {
  return failure(429, { reason: 'TooManyRequests', message, details: { retryAfterSeconds } });
}

/** 500: `Internal error occurred: <message>`. */
export function internalError(message: string): StatusError {
  return failure(500, {
    reason: 'InternalError',
    message: `Internal error occurred: ${message}`,
    details: { causes: [{ message }] },
  });
}

/** 500 without a reason, for errors that have none upstream. */
export function unknownFailure(message: string): StatusError {
  return new StatusError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 });
}
