import { type Clock, type Random, sleep } from '@kubewright/apimachinery';
import { TimeSlice } from '../reflector/time-slice.ts';

/** When everything is shown again. */
export interface ResyncOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** 0 is never. */
  readonly periodMs: number;
  readonly signal: AbortSignal;
}

/** Shows all entries again and again, a period apart and up to a tenth more or less, so that not all informers do at once. */
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
      // Aborted: that is the end.
      return;
    }
    for (const entry of store.entries()) {
      if (signal.aborted) return;
      await slice.work(() => store.show(entry));
    }
  }
}
