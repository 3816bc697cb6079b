import { type Clock, type Random, sleep } from '@kubewright/apimachinery';
import { TimeSlice } from '../reflector/time-slice.ts';

/** Options for {@link resync}. */
export interface ResyncOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Resync period; 0 disables it. */
  readonly periodMs: number;
  readonly signal: AbortSignal;
}

/** Replays all entries periodically. Each period has up to 10% jitter either way, so informers do not all resync together. */
export async function resync<E>(
  options: ResyncOptions,
  store: { readonly entries: () => readonly E[]; readonly show: (entry: E) => void },
): Promise<void> {
  const { clock, random, periodMs, signal } = options;
  if (periodMs <= 0) return;
  const slice = new TimeSlice(clock);
  while (!signal.aborted) {
    try {
      await sleep(clock, { ms: periodMs * (0.9 + random.next() * 0.2), signal });
    } catch {
      // Aborted.
      return;
    }
    for (const entry of store.entries()) {
      if (signal.aborted) return;
      await slice.work(() => store.show(entry));
    }
  }
}
