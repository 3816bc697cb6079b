import type { StatusError } from '@kubewright/apimachinery';
import type { StatusCause } from '@kubewright/apimachinery/meta/v1';
import { tooManyRequests } from '../http/failures.ts';
import { failure } from '../http/status-response.ts';

/** Builds the error for a resourceVersion older than the history. */
export function expired(requested: number, oldest: number): StatusError {
  return failure(410, { reason: 'Expired', message: `too old resource version: ${requested} (${oldest})` });
}

/** Builds the error for a stream that ends because its user has too many unread events. */
export function tooManyUnread(): StatusError {
  return tooManyRequests('Too many unread events, please try again later.', 1);
}

/** Builds the error for a future resourceVersion that was not reached in time. */
export function tooLargeResourceVersion(requested: number, current: number): StatusError {
  return failure(504, {
    reason: 'Timeout',
    message: `Timeout: Too large resource version: ${requested}, current: ${current}`,
    details: {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    },
  });
}

/**
 * Builds the error for a watch whose resourceVersion is not a 64-bit number: a 500 without a reason, as in upstream
 * (1.36).
 */
export function invalidResourceVersion(text: string, why: 'invalid syntax' | 'value out of range'): StatusError {
  const quoted = JSON.stringify(text);
  return failure(500, {
    reason: '',
    message: `resourceVersion: Invalid value: ${quoted}: strconv.ParseUint: parsing ${quoted}: ${why}`,
  });
}

/** Builds the error for list options that cannot be combined. */
export function invalidListOptions(causes: readonly Required<StatusCause>[]): StatusError {
  const texts = causes.map(({ field, message }) => `${field}: ${message}`);
  return failure(422, {
    reason: 'Invalid',
    message: `ListOptions.meta.k8s.io "" is invalid: ${texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`}`,
    details: { group: 'meta.k8s.io', kind: 'ListOptions', causes },
  });
}
