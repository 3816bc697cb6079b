import { access } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ArchiveError } from './archive-error.ts';
import type { ArchiveStore } from './archive-store.ts';
import { archivedWal, completeSegment } from './wal-file.ts';

/**
 * Checks that a missing segment is the end of the archived WAL, not a gap. At a gap, recovery would end too early, and the server
 * would accept writes although the archive has later transactions.
 *
 * @throws ArchiveError with the reason `Corrupted` if the archive has a later segment
 */
export async function ensureEndOfWal(
  store: ArchiveStore,
  { name, path, signal }: { readonly name: string; readonly path: string; readonly signal: AbortSignal },
): Promise<void> {
  if (completeSegment(archivedWal(name)) === undefined || (await exists(join(dirname(path), name)))) return;
  for await (const file of store.list('wal/', { signal })) {
    const later = completeSegment(file.name);
    if (later === undefined || timelineOf(later) < timelineOf(name) || positionOf(later) <= positionOf(name)) continue;
    throw new ArchiveError(
      'Corrupted',
      `the archive contains ${later}, but not ${name}; restore a newer backup, or up to a target before this segment`,
    );
  }
}

/** Returns a segment's timeline as a fixed number of hexadecimal digits, which can be compared as strings. */
function timelineOf(segment: string): string {
  return segment.slice(0, 8);
}

function positionOf(segment: string): string {
  return segment.slice(8);
}

/** Returns true if the server has the file locally, from the base backup. */
async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
