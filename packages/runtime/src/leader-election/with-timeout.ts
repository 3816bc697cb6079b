import type { Clock } from '@kubewright/apimachinery';

/** Limits the duration of work. */
export interface WithTimeoutOptions {
  readonly clock: Clock;
  readonly ms: number;
  /** Aborts the work earlier. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs work with a signal that is aborted at the time limit. The work is trusted to stop when the signal is aborted.
 */
export async function withTimeout<T>(
  work: (signal: AbortSignal) => Promise<T>,
  options: WithTimeoutOptions,
): Promise<T> {
  const { clock, ms, signal: outer } = options;
  const limit = new AbortController();
  const onAbort = (): void => limit.abort(outer?.reason);
  if (outer?.aborted) onAbort();
  outer?.addEventListener('abort', onAbort, { once: true });
  const timer = clock.setTimer(Math.max(ms, 0), () => limit.abort(new Error(`timed out after ${Math.max(ms, 0)} ms`)));
  try {
    return await work(limit.signal);
  } finally {
    timer[Symbol.dispose]();
    outer?.removeEventListener('abort', onAbort);
  }
}
