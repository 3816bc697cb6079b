import type { IncomingMessage } from 'node:http';
import { type Clock, type Random, sleep } from '@kubewright/apimachinery';
import { exponentialDelay } from '@kubewright/apimachinery/internal';
import { isTemporaryNetworkError } from '@kubewright/client/internal';

/** The time and randomness of retries. */
export interface RetryContext {
  readonly clock: Clock;
  readonly random: Random;
  readonly signal: AbortSignal;
}

/** Maximum number of consecutive attempts without progress. */
export const maxAttempts = 5;
const delays = { initialMs: 500, maxMs: 10_000 };
/**
 * Maximum delay that a registry can request, in milliseconds. If the registry requests a longer delay, the error is
 * final.
 */
const maxRetryAfterMs = 60_000;

/** True if a retry may succeed after this error. */
export function isTemporary(error: unknown): boolean {
  // Errors of proxies say so themselves.
  const { code, retryable } = error as { readonly code?: unknown; readonly retryable?: unknown };
  return retryable === true || code === 'ERR_STREAM_PREMATURE_CLOSE' || isTemporaryNetworkError(error);
}

/**
 * Sends a request again after lost connections, and after responses with status 429 or 5xx, honoring `Retry-After`.
 * Returns the last response, regardless of its status.
 *
 * @throws the last error, or the signal's reason if it is aborted.
 */
export async function withRetries(
  send: () => Promise<IncomingMessage>,
  context: RetryContext,
): Promise<IncomingMessage> {
  for (let failures = 0; ; failures++) {
    const isLast = failures === maxAttempts - 1;
    let delayMs: number | undefined;
    try {
      const response = await send();
      const { statusCode = 0 } = response;
      if (isLast || (statusCode !== 429 && statusCode < 500)) return response;
      delayMs = retryAfterMs(response, context.clock);
      if (delayMs !== undefined && delayMs > maxRetryAfterMs) return response;
      response.destroy();
    } catch (error) {
      context.signal.throwIfAborted();
      if (isLast || !isTemporary(error)) throw error;
    }
    await pause(failures, { ...context, delayMs });
  }
}

/** Waits before the next attempt: for the given delay, or with exponential backoff and jitter. */
export async function pause(
  failures: number,
  { clock, random, signal, delayMs }: RetryContext & { readonly delayMs?: number | undefined },
): Promise<void> {
  const backOffMs = exponentialDelay(failures, delays) * (0.5 + random.next() / 2);
  await sleep(clock, { ms: delayMs ?? backOffMs, signal });
}

/** Reads `Retry-After`: a number of seconds or a date. */
function retryAfterMs({ headers }: IncomingMessage, clock: Clock): number | undefined {
  const text = headers['retry-after'];
  if (text === undefined) return undefined;
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - clock.now());
}
