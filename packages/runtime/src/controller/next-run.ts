import type { ReconcileResult } from './reconcile.ts';

/** When a key runs again by itself: after a time, with its growing back-off, or, `undefined`, not at all. */
export type NextRun = { readonly delayMs: number } | 'with back-off' | undefined;

/**
 * The run that a result asks for, of a reconcile and of a clean-up step alike. A time that is over already is no reason to
 * wait for nothing: whoever works out how long it is to a deadline wants to be there.
 *
 * @throws RangeError for what is no number: nobody can say when that would be, and silence would lose the run asked for.
 */
export function nextRun({ requeueAfterMs, requeue }: ReconcileResult, key: string): NextRun {
  if (requeueAfterMs === undefined) return requeue ? 'with back-off' : undefined;
  if (typeof requeueAfterMs === 'number' && !Number.isNaN(requeueAfterMs)) {
    return requeueAfterMs > 0 ? { delayMs: requeueAfterMs } : 'with back-off';
  }
  throw new RangeError(
    `cannot run ${key} again after ${String(requeueAfterMs)} ms: requeueAfterMs is no number; it will be tried again with back-off`,
  );
}
