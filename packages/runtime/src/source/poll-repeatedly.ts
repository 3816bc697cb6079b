import { sleep } from '@kubewright/apimachinery';
import type { SourceStart } from './source.ts';

/**
 * Calls a function until the signal is aborted, each time after a pause of `everyMs` plus or minus up to a tenth. The jitter keeps
 * sources that were started together from polling together forever.
 */
export async function pollRepeatedly(
  poll: () => Promise<void>,
  { everyMs, start }: { readonly everyMs: number; readonly start: SourceStart },
): Promise<void> {
  const { signal, clock, random } = start;
  while (!signal.aborted) {
    try {
      await sleep(clock, { ms: everyMs * (0.9 + random.next() * 0.2), signal });
    } catch {
      // Aborted: stop polling.
      return;
    }
    await poll();
  }
}
