import type { Clock } from '@kubewright/apimachinery';
import type { StateDirectory } from './state-directory.ts';

const note = 'revision.json';
/** Counted from here, ten a second stay among the numbers that take no memory of their own for years. */
const epochMs = Date.UTC(2026, 0, 1);

/**
 * The revision that a cluster in this folder begins with: after those of the cluster before. Whoever watched that one is
 * told that its version is too old, and lists anew at once; had versions begun again, it would wait for the old ones.
 */
export function firstRevision(directory: StateDirectory, clock: Clock): number {
  const last = directory.readNote<{ readonly revision: number }>(note)?.revision ?? 0;
  // A cluster that was killed left no note: most write less than ten times a second.
  return Math.max(Math.floor((clock.now() - epochMs) / 100), last + 1, 1);
}

/** Keeps the last revision of a cluster for the next. */
export function noteLastRevision(directory: StateDirectory, revision: number): void {
  directory.writeNote(note, { revision });
}
