import type { Clock } from '@kubewright/apimachinery';

/** How long work may take. */
export interface WithinTimeOptions {
  readonly clock: Clock;
  readonly ms: number;
  /** Gives the work up earlier. */
  readonly signal?: AbortSignal | undefined;
}

/** Does work whose signal is aborted once its time is over. The work is trusted to end then. */
export async function withinTime<T>(work: (signal: AbortSignal) => Promise<T>, options: WithinTimeOptions): Promise<T> {
  const { clock, ms, signal: outer } = options;
  const limit = new AbortController();
  const onAbort = (): void => limit.abort(outer?.reason);
  if (outer?.aborted) onAbort();
  outer?.addEventListener('abort', onAbort, { once: true });
  const timer = clock.setTimer(Math.max(ms, 0), () => limit.abort(new Error(`no answer within ${Math.max(ms, 0)} ms`)));
  try {
    return await work(limit.signal);
  } finally {
    timer[Symbol.dispose]();
    outer?.removeEventListener('abort', onAbort);
  }
}
