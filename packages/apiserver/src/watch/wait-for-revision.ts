import { type Clock, sleep } from '@kubewright/apimachinery';
import type { Storage } from '../storage/index.ts';

/** Time that readers wait for a future version, in milliseconds (as upstream's watch cache). */
const waitMs = 3_000;
/** Time between two reads of the revision. A watch of all keys would deliver every change of every resource. */
const pollMs = 50;

/** Waits until a revision is visible, at most three seconds. Returns the newest revision. */
export async function waitForRevision(
  storage: Storage,
  options: { readonly revision: number; readonly clock: Clock; readonly signal: AbortSignal },
): Promise<number> {
  const { revision, clock, signal } = options;
  const deadline = clock.monotonic() + waitMs;
  let reached = await storage.revision();
  while (reached < revision && clock.monotonic() < deadline && !signal.aborted) {
    // An abort ends the wait, and the loop.
    await sleep(clock, { ms: pollMs, signal }).catch(() => undefined);
    reached = await storage.revision();
  }
  return reached;
}
