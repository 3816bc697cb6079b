import type { Clock } from '@kubewright/apimachinery';
import type { StateDirectory } from './state-directory.ts';

const note = 'revision.json';
/** Start of the count. At ten revisions a second from here, numbers stay small integers (no heap allocation) for years. */
const epochMs = Date.UTC(2026, 0, 1);

/**
 * Returns the first revision of a cluster in this folder, which is higher than all revisions of the previous cluster. Clients
 * that watched the previous one then learn that their version is too old and relist immediately. If revisions started again from
 * 1, they would wait for the old ones.
 */
export function firstRevision(directory: StateDirectory, clock: Clock): number {
  const last = directory.readNote<{ readonly revision: number }>(note)?.revision ?? 0;
  // A killed cluster leaves no note. Most clusters write fewer than ten times a second.
  return Math.max(Math.floor((clock.now() - epochMs) / 100), last + 1, 1);
}

/** Saves the last revision of a cluster for its successor. */
export function noteLastRevision(directory: StateDirectory, revision: number): void {
  directory.writeNote(note, { revision });
}
