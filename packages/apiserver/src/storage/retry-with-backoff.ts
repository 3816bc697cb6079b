import { type Clock, sleep } from '@kubewright/apimachinery';

/** Delays between attempts, in milliseconds: the first, which then doubles, and the maximum. */
const firstMs = 100;
const longestMs = 10_000;

/**
 * Calls a function until it succeeds, with growing delays between attempts. Also resolves, without success, when the signal is
 * aborted.
 */
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
    // An abort ends the wait, and the loop.
    await sleep(clock, { ms: delayMs, signal }).catch(() => undefined);
  }
}
