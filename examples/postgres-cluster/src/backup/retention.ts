import type { ArchivedFile } from '../archive/archive-store.ts';
import { segmentOf } from '../archive/wal-file.ts';
import { parseLsn } from '../lsn.ts';
import type { ArchivedBackup } from './archived-backup.ts';
import { restorable } from './backup-chain.ts';

/** The files of an archive that are no longer needed. */
export interface Expired {
  /** Ids of the backups, newest first: an incremental backup is deleted before the backup that it is based on. */
  readonly backups: readonly string[];
  /** Ids of incomplete backups. */
  readonly incomplete: readonly string[];
  /** Names of WAL files. */
  readonly wal: readonly string[];
}

/**
 * Returns the files to delete. Keeps the newest `keep` backups that can be restored, all backups in their chains, the
 * WAL from the earliest kept backup on, and all timeline histories.
 *
 * @param backups - the complete backups, oldest first
 */
export function expired(
  backups: readonly ArchivedBackup[],
  { files, keep }: { readonly files: readonly ArchivedFile[]; readonly keep: number },
): Expired {
  const kept = new Set(
    restorable(backups)
      .slice(-keep)
      .map(({ id }) => id),
  );
  for (const { id, parent } of [...backups].reverse()) if (kept.has(id) && parent !== undefined) kept.add(parent);
  const needed = backups.filter(({ id }) => kept.has(id));
  const [oldest] = needed;
  // Without a complete backup, all WAL is kept, because a backup in progress may need it.
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

/**
 * Returns the earliest first segment of the backups. It need not belong to the oldest backup: after a restore to an earlier
 * point, a later backup can begin earlier in the WAL.
 */
function firstSegment(backups: readonly ArchivedBackup[]): bigint {
  const [least = 0n] = backups
    .map(({ beginLSN, segmentBytes }) => parseLsn(beginLSN) / BigInt(segmentBytes))
    .sort(compare);
  return least;
}

function compare(a: bigint, b: bigint): number {
  return Number(a - b);
}
