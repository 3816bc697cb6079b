import { type Clock, sleep } from '@kubewright/apimachinery';

/** The first and the maximum delay between attempts, in milliseconds. Each delay is twice the previous delay. */
const firstMs = 100;
const longestMs = 10_000;

/** Calls a function until it succeeds, with growing delays between attempts. Also resolves when the signal is aborted. */
export async function retryWithBackoff(
  attempt: () => Promise<void>,
  options: { readonly clock: Clock; readonly signal: AbortSignal; readonly onError: (error: unknown) => void },
): Promise<void> {
  const { clock, signal, onError } = options;
  for (let delayMs = firstMs; !signal.aborted; delayMs = Math.min(delayMs * 2, longestMs)) {
    try {
      await attempt();
      return;
    } catch (error) {
      if (signal.aborted) return;
      onError(error);
    }
    // An abort ends both the wait and the loop.
    await sleep(clock, { ms: delayMs, signal }).catch(() => undefined);
  }
}
