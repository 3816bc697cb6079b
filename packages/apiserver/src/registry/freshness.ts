import { tooLargeResourceVersion, waitForRevision } from '../watch/index.ts';
import type { RegistryServices } from './registry-services.ts';

/**
 * Waits until storage has reached a revision, at most 3 seconds.
 *
 * @throws StatusError 504 with the cause `ResourceVersionTooLarge` on timeout
 */
export async function reachRevision(
  { storage, clock }: Pick<RegistryServices, 'storage' | 'clock'>,
  revision: number,
  signal: AbortSignal,
): Promise<void> {
  if (storage.revision >= revision) return;
  if (await waitForRevision(storage, { revision, clock, signal })) return;
  signal.throwIfAborted();
  throw tooLargeResourceVersion(revision, storage.revision);
}
