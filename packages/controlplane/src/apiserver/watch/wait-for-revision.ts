import { type Clock, sleep } from '@kubewright/apimachinery';
import type { Storage } from '../../storage/index.ts';

/** How long readers wait for a version that does not exist yet, in milliseconds (as upstream's watch cache). */
const REVISION_WAIT_MS = 3_000;

/** Waits until a revision is visible; false when that takes longer than three seconds. */
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
    // Aborted: it has arrived, or nobody wants it any more; the comparison below tells.
  } finally {
    subscription[Symbol.dispose]();
  }
  return storage.revision >= revision;
}
