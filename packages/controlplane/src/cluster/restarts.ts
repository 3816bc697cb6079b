import { type Clock, sleep } from '@kubewright/apimachinery';
import { exponentialDelay } from '@kubewright/apimachinery/internal';

/** The pause before a restart. It doubles with each failure. */
const pauses = { initialMs: 1_000, maxMs: 60_000 };
/** Run time after which the pause is reset to `initialMs`, in milliseconds. */
const recoveredMs = 10 * 60_000;

/** A task that is restarted when it fails. */
export interface Restartable {
  /** Runs the task once; settles when the task is stopped or fails. */
  readonly run: () => Promise<void>;
  readonly clock: Clock;
  /** Stops the restarts. */
  readonly signal: AbortSignal;
  /** Called after each failure, before the pause. `error` is undefined if the run ended without an error. */
  readonly failed: (error: unknown, how: { readonly restartInMs: number }) => void;
}

/** Runs a task until `signal` is aborted, and restarts it after each failure with growing pauses. Never rejects. */
export async function runWithRestarts({ run, clock, signal, failed }: Restartable): Promise<void> {
  let failures = 0;
  while (!signal.aborted) {
    const startedMs = clock.monotonic();
    const error = await run().then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (signal.aborted) return;
    if (clock.monotonic() - startedMs >= recoveredMs) failures = 0;
    const pauseMs = exponentialDelay(failures++, pauses);
    failed(error, { restartInMs: pauseMs });
    // The sleep rejects if the signal is aborted; the loop then ends.
    await sleep(clock, { ms: pauseMs, signal }).catch(() => {});
  }
}
