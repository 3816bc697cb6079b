import type { Clock } from '@kubewright/apimachinery';
import type { StateDirectory } from './state-directory.ts';

const note = 'revision.json';
/**
 * The clock-based revisions count from this time. At ten revisions a second, they stay small integers (no heap allocation) for
 * years.
 */
const epochMs = Date.UTC(2026, 0, 1);

/**
 * Returns the first revision of a cluster in this folder, which is higher than all revisions of the previous cluster.
 * Clients that watched the previous cluster then learn that their version is too old, and relist immediately. If
 * revisions started from 1 again, these clients would wait until the server reached their old version.
 */
export function firstRevision(directory: StateDirectory, clock: Clock): number {
  const last = directory.readNote<{ readonly revision: number }>(note)?.revision ?? 0;
  // A killed cluster does not save its last revision, so the clock sets a minimum: most clusters write fewer than ten times a
  // second.
  return Math.max(Math.floor((clock.now() - epochMs) / 100), last + 1, 1);
}

/** Saves the last revision of a cluster for its successor. */
export function noteLastRevision(directory: StateDirectory, revision: number): void {
  directory.writeNote(note, { revision });
}
