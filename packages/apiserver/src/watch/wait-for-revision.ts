import { type Clock, sleep } from '@kubewright/apimachinery';
import type { Storage } from '../storage/index.ts';

/** Maximum time that readers wait for a future version, in milliseconds, as in upstream's watch cache. */
const waitMs = 3_000;
/** Interval between reads of the revision, in milliseconds. A watch of all keys would cost more: it delivers every change. */
const pollMs = 50;

/** Waits at most three seconds until a revision is visible. Returns the newest revision. */
export async function waitForRevision(
  storage: Storage,
  options: { readonly revision: number; readonly clock: Clock; readonly signal: AbortSignal },
): Promise<number> {
  const { revision, clock, signal } = options;
  const deadline = clock.monotonic() + waitMs;
  let reached = await storage.revision();
  while (reached < revision && clock.monotonic() < deadline && !signal.aborted) {
    // An abort ends both the wait and the loop.
    await sleep(clock, { ms: pollMs, signal }).catch(() => undefined);
    reached = await storage.revision();
  }
  return reached;
}
