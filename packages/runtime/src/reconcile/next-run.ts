import type { ReconcileResult } from './reconcile.ts';

/** The next run of a key: after a delay, with the key's growing backoff, or never (`undefined`). */
export type NextRun = { readonly delayMs: number } | 'with backoff' | undefined;

/**
 * Returns the requeue that the result of a reconcile or finalizer requests. A delay of zero or less requests a run with backoff
 * rather than none, because callers compute delays from deadlines.
 *
 * @throws RangeError when the delay is not a number; ignoring it would lose the requested run.
 */
export function nextRun({ requeueAfterMs, requeue }: ReconcileResult, key: string): NextRun {
  if (requeueAfterMs === undefined) return requeue ? 'with backoff' : undefined;
  if (typeof requeueAfterMs === 'number' && !Number.isNaN(requeueAfterMs)) {
    return requeueAfterMs > 0 ? { delayMs: requeueAfterMs } : 'with backoff';
  }
  throw new RangeError(
    `cannot requeue ${key} after ${String(requeueAfterMs)} ms: requeueAfterMs must be a number; retrying with backoff`,
  );
}
