import { type Status, StatusError, type StatusReason } from '@kubewright/apimachinery';
import type { StatusDetails } from '@kubewright/apimachinery/meta/v1';
import type { ApiResponse } from './api-request.ts';

/** Builds an error with the Status of a failure. */
export function failure(
  code: number,
  options: { readonly reason: StatusReason; readonly message: string; readonly details?: StatusDetails },
): StatusError {
  const { reason, message, details } = options;
  const status: Status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason,
    ...(details ? { details } : {}),
    code,
  };
  return new StatusError(status);
}

/** Builds a JSON response. */
export function jsonResponse(status: number, body: unknown): ApiResponse {
  return {
    status,
    headers: { 'cache-control': 'no-cache, private', 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify(body)),
  };
}

/** Builds a response from a Status, with a Retry-After header if the Status requests a delay. */
export function statusResponse(status: Status): ApiResponse {
  const response = jsonResponse(status.code, status);
  const seconds = status.details?.retryAfterSeconds;
  return seconds === undefined
    ? response
    : { ...response, headers: { ...response.headers, 'retry-after': `${seconds}` } };
}

/** Builds the 413 for a request body that is larger than the limit, with upstream's message. */
export function tooLarge(limit: number): StatusError {
  return failure(413, { reason: 'RequestEntityTooLarge', message: `Request entity too large: limit is ${limit}` });
}

/** Builds the 504 for a client that took too long to send the request body. */
export function bodyTooSlow(timeoutMs: number): StatusError {
  const message = `Timeout: the request body did not arrive within ${timeoutMs / 1000} s`;
  return failure(504, { reason: 'Timeout', message, details: {} });
}
