import type { SwitchoverFailure } from '../api/v1/postgres-cluster.ts';

/**
 * Delays before an automatic switchover is retried. `first` applies after the first failure, and each further failure
 * doubles the delay.
 */
const retryMs = { first: 300_000, max: 3_600_000 };

/** Counts a switchover after which the former primary became the primary again. */
export function nextFailure(
  before: SwitchoverFailure | undefined,
  { instance, message, nowMs }: { readonly instance: string; readonly message: string; readonly nowMs: number },
): SwitchoverFailure {
  const count = before?.instance === instance ? before.count + 1 : 1;
  return { instance, message, count, time: timeOf(nowMs) };
}

/**
 * Returns why an automatic switchover is not retried yet, or undefined if it may start. A failed switchover interrupts the service,
 * and the next one would probably fail for the same reason.
 */
export function retryDelay(
  failure: SwitchoverFailure | undefined,
  { primary, nowMs }: { readonly primary: string; readonly nowMs: number },
): string | undefined {
  if (failure?.instance !== primary) return undefined;
  const delayMs = Math.min(retryMs.first * 2 ** (failure.count - 1), retryMs.max);
  const nextMs = Date.parse(failure.time) + delayMs;
  if (nowMs >= nextMs) return undefined;
  return `the last switchover failed (${failure.message}); the operator retries after ${timeOf(nextMs)}, or when you request a switchover`;
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+/, '');
}
