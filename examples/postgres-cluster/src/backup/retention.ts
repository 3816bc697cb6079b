import type { ArchivedFile } from '../archive/archive-store.ts';
import { parseLsn, segmentOf } from '../archive/wal-file.ts';
import type { ArchivedBackup } from './archived-backup.ts';

/** The files of an archive that are no longer needed. */
export interface Expired {
  /** Ids of the backups, the newest first: an incremental backup is deleted before the one that it continues. */
  readonly backups: readonly string[];
  /** Ids of folders without a complete backup. */
  readonly incomplete: readonly string[];
  /** Names of WAL files. */
  readonly wal: readonly string[];
}

/**
 * Decides which files of an archive are deleted: all backups but the newest ones and those that they continue, and all WAL before the
 * oldest backup that is kept. Histories of timelines are kept.
 *
 * @param backups - the complete backups, oldest first
 */
export function expired(
  backups: readonly ArchivedBackup[],
  { files, keep }: { readonly files: readonly ArchivedFile[]; readonly keep: number },
): Expired {
  const kept = new Set(backups.slice(-keep).map(({ id }) => id));
  for (const { id, parent } of [...backups].reverse()) if (kept.has(id) && parent !== undefined) kept.add(parent);
  const needed = backups.filter(({ id }) => kept.has(id));
  const [oldest] = needed;
  // Without a backup, WAL is kept for one that may be under way.
  if (!oldest) return { backups: [], incomplete: [], wal: [] };
  const first = firstSegment(needed);
  const complete = new Set(backups.map(({ id }) => id));
  const folders = new Set(files.map(({ name }) => /^base\/([^/]+)\//.exec(name)?.[1] ?? ''));
  return {
    backups: backups
      .filter(({ id }) => !kept.has(id))
      .map(({ id }) => id)
      .reverse(),
    incomplete: [...folders].filter((id) => id !== '' && id < oldest.id && !complete.has(id)),
    wal: files
      .map(({ name }) => name)
      .filter((name) => (segmentOf(name, oldest.segmentBytes)?.number ?? first) < first),
  };
}

/** A later backup can begin earlier in the WAL, after a restore to an earlier point. */
function firstSegment(backups: readonly ArchivedBackup[]): bigint {
  const [least = 0n] = backups
    .map(({ beginLSN, segmentBytes }) => parseLsn(beginLSN) / BigInt(segmentBytes))
    .sort(compare);
  return least;
}

function compare(a: bigint, b: bigint): number {
  return Number(a - b);
}
