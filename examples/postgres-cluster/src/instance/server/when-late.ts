import type { Clock } from '@kubewright/apimachinery';

/** Waits for a promise, and calls `onLate` once if it takes longer than `ms`. */
export async function whenLate<T>(
  ending: Promise<T>,
  { clock, ms, onLate }: { readonly clock: Clock; readonly ms: number; readonly onLate: () => void },
): Promise<T> {
  using _timer = clock.setTimer(ms, onLate);
  return await ending;
}
