import { type Clock, sleep } from '@kubewright/apimachinery';
import type { Storage } from '../storage/index.ts';

/** Time that readers wait for a future version, in milliseconds (as upstream's watch cache). */
const REVISION_WAIT_MS = 3_000;

/** Waits until a revision is visible. Returns false if that takes longer than three seconds. */
export async function waitForRevision(
  storage: Storage,
  options: { readonly revision: number; readonly clock: Clock; readonly signal: AbortSignal },
): Promise<boolean> {
  const { revision, clock, signal } = options;
  if (storage.revision >= revision) return true;
  const arrived = new AbortController();
  const subscription = storage.watch({ prefix: '/', fromRevision: storage.revision }, () => {
    if (storage.revision >= revision) arrived.abort();
  });
  try {
    await sleep(clock, { ms: REVISION_WAIT_MS, signal: AbortSignal.any([signal, arrived.signal]) });
  } catch {
    // Aborted: either the revision has arrived or the reader gave up; the comparison below decides.
  } finally {
    subscription[Symbol.dispose]();
  }
  return storage.revision >= revision;
}
