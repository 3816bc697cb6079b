import type { ReconcileResult } from './reconcile.ts';

/**
 * The delay that a result asks for, in milliseconds; `undefined` where it asks for none.
 *
 * @throws RangeError for what is no number: nobody can say when that would be, and silence would lose the run asked for.
 */
export function requeueDelay(result: ReconcileResult, key: string): number | undefined {
  const { requeueAfterMs } = result;
  if (requeueAfterMs === undefined) return undefined;
  if (typeof requeueAfterMs === 'number' && !Number.isNaN(requeueAfterMs)) return requeueAfterMs;
  throw new RangeError(
    `cannot run ${key} again after ${String(requeueAfterMs)} ms: requeueAfterMs is no number; it will be tried again with back-off`,
  );
}
