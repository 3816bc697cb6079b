import { TransportError } from '../transport/transport-error.ts';

/** Limits of a client's automatic retries. */
export interface RetryPolicy {
  /** Maximum number of retries after a 429 or 503 response with Retry-After. @defaultValue 10, like client-go */
  readonly maxRetryAfter?: number;
  /**
   * Longest Retry-After to wait for, in milliseconds; if the server requests a longer delay, the error is thrown. @defaultValue
   * 30 000
   */
  readonly maxWaitMs?: number;
  /** Maximum number of retries after a lost connection, if a retry is safe. @defaultValue 2 */
  readonly maxTransportRetries?: number;
}

export interface ResolvedRetryPolicy {
  readonly maxRetryAfter: number;
  readonly maxWaitMs: number;
  readonly maxTransportRetries: number;
}

export function resolveRetryPolicy(policy: RetryPolicy = {}): ResolvedRetryPolicy {
  return {
    maxRetryAfter: policy.maxRetryAfter ?? 10,
    maxWaitMs: policy.maxWaitMs ?? 30_000,
    maxTransportRetries: policy.maxTransportRetries ?? 2,
  };
}

/** Returns the delay requested by the server, in milliseconds; the header holds seconds or an HTTP date. */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(date - now, 0);
}

/**
 * True if the request may be retried: any request after a 429 or 503, because the server did not process it; only a
 * read after any other 5xx.
 */
export function mayRetryResponse(status: number, method: string): boolean {
  return status === 429 || status === 503 || (status >= 500 && isRead(method));
}

/**
 * True if the request may be retried: a read always, a write only if the server processed no part of it, because a
 * retried write could take effect twice.
 */
export function mayRetryTransport(error: unknown, method: string): error is TransportError {
  return error instanceof TransportError && error.retryable && (!error.sent || isRead(method));
}

function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}
