import { tooLargeResourceVersion, waitForRevision } from '../watch/index.ts';
import type { RegistryServices } from './registry-services.ts';

/**
 * Waits at most 3 seconds until storage reaches a revision.
 *
 * @throws StatusError 504 with the cause `ResourceVersionTooLarge` on timeout
 */
export async function reachRevision(
  { storage, clock }: Pick<RegistryServices, 'storage' | 'clock'>,
  revision: number,
  signal: AbortSignal,
): Promise<void> {
  const reached = await waitForRevision(storage, { revision, clock, signal });
  if (reached >= revision) return;
  signal.throwIfAborted();
  throw tooLargeResourceVersion(revision, reached);
}
