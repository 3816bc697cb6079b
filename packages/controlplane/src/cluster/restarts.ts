import { type Clock, sleep } from '@kubewright/apimachinery';

/** The first pause before a restart, in milliseconds; it doubles with each failure. */
const firstPauseMs = 1_000;
const longestPauseMs = 60_000;
/** What has run for this long, in milliseconds, has recovered: its next pause is the first again. */
const recoveredMs = 10 * 60_000;

/** Something that is started again when it fails. */
export interface Restartable {
  /** Runs it once; ends when it is stopped or fails. */
  readonly run: () => Promise<void>;
  readonly clock: Clock;
  /** Ends the restarts. */
  readonly signal: AbortSignal;
  /** Told of each failure before the pause. `error` is undefined when it ended without one. */
  readonly failed: (error: unknown, how: { readonly restartInMs: number }) => void;
}

/** Runs something until `signal` is aborted, however often it fails, with growing pauses in between. Never rejects. */
export async function runWithRestarts({ run, clock, signal, failed }: Restartable): Promise<void> {
  let pauseMs = firstPauseMs;
  while (!signal.aborted) {
    const startedMs = clock.monotonic();
    const error = await run().then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (signal.aborted) return;
    if (clock.monotonic() - startedMs >= recoveredMs) pauseMs = firstPauseMs;
    failed(error, { restartInMs: pauseMs });
    // Aborted meanwhile: the loop ends.
    await sleep(clock, { ms: pauseMs, signal }).catch(() => {});
    pauseMs = Math.min(pauseMs * 2, longestPauseMs);
  }
}
