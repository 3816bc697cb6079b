import type { ReconcileOutcome } from '../../reconcile/reconcile.ts';
import { ReconcileTimeoutError } from './reconcile-timeout-error.ts';
import type { Stage } from './stage.ts';

/**
 * Ends the wait for a reconcile that ignores its signal, so a call that never ends cannot block a worker forever. The time itself
 * is watched by `RunningReconciles`.
 *
 * @param stopping - aborted when running reconciles are canceled.
 * @throws ReconcileTimeoutError (KW3005) when the reconcile exceeds its limit, or whatever it throws.
 */
export function limitTime(stopping: AbortSignal): Stage {
  return (next) => async (run) => {
    const { lifetime } = run;
    if (stopping.aborted) lifetime.giveUp(stopping.reason, () => stopping.reason);
    try {
      return await new Promise<ReconcileOutcome>((resolve, reject) => {
        lifetime.abandon = reject;
        next(run).then(resolve, reject);
      });
    } catch (error) {
      const { over } = lifetime;
      // A reconcile that fails because its signal was aborted at the limit reports the timeout, whatever it throws.
      if (over && lifetime.signal.reason === over && !(error instanceof ReconcileTimeoutError)) throw over;
      throw error;
    } finally {
      lifetime.ended();
    }
  };
}
