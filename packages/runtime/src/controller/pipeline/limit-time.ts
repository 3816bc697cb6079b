import { KubewrightError } from '@kubewright/apimachinery';
import type { ReconcileOutcome } from '../../reconcile/reconcile.ts';
import type { Stage } from './reconcile-run.ts';

/**
 * Thrown when a reconcile exceeds its time limit.
 *
 * @example
 * ```ts
 * async function reconcile(site: Stored<Website>, { signal, log }: ReconcileContext<Website>): Promise<void> {
 *   await deploy(site, { signal });
 *   if (signal.reason instanceof ReconcileTimeoutError) log.warn('the deployment took too long');
 * }
 * ```
 */
export class ReconcileTimeoutError extends KubewrightError {
  override readonly name = 'ReconcileTimeoutError';
  /** The runtime retries the key with backoff. */
  readonly code = 'KW3005';

  constructor(reconcile: string, options: { readonly timeoutMs: number; readonly settled: boolean }) {
    const { timeoutMs, settled } = options;
    super(
      settled
        ? {
            what: `${reconcile} was aborted`,
            why: `timed out after ${timeoutMs} ms`,
            remedy: 'pass ctx.signal to every call that the reconcile awaits, or raise reconcileTimeoutMs',
          }
        : {
            what: `${reconcile} was abandoned`,
            why: `timed out after ${timeoutMs} ms and ignored ctx.signal; the function may still be running, but its context rejects further writes`,
            remedy: 'pass ctx.signal to every call that the reconcile awaits',
          },
    );
  }
}

/**
 * Ends the wait for a reconcile that ignores its signal, so a call that never ends cannot block a worker forever.
 * `RunningReconciles` tracks the time.
 *
 * @param stopping - aborted when running reconciles are canceled.
 * @throws ReconcileTimeoutError (KW3005) when the reconcile exceeds its limit, otherwise the reconcile's own error.
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
      // A reconcile that fails because its signal was aborted at the limit reports the timeout, no matter which error it throws.
      if (over && lifetime.signal.reason === over && !(error instanceof ReconcileTimeoutError)) throw over;
      throw error;
    } finally {
      lifetime.ended();
    }
  };
}
