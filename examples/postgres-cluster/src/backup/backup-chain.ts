import type { RecoveryTarget } from '../api/v1/postgres-cluster.ts';
import { ArchiveError } from '../archive/archive-error.ts';
import { parseLsn } from '../lsn.ts';
import type { ArchivedBackup } from './archived-backup.ts';

/** Selects the backup to restore. */
export interface WantedBackup {
  /** Name of the `PostgresBackup`, or id of the backup. @defaultValue the newest backup that ended before the target */
  readonly backup?: string | undefined;
  readonly target?: RecoveryTarget | undefined;
}

/**
 * Returns the backups needed for a restore: the full backup, then the incremental ones up to the selected one.
 *
 * @param backups - the backups in the archive, oldest first
 * @throws ArchiveError if no backup fits, or a backup in the chain is missing
 */
export function backupChain(
  backups: readonly ArchivedBackup[],
  { backup, target = {} }: WantedBackup,
): readonly ArchivedBackup[] {
  const named = backup === undefined ? backups : backups.filter(({ id, name }) => id === backup || name === backup);
  if (named.length === 0) {
    const what =
      backup === undefined ? 'the archive contains no complete backup' : `the archive contains no backup ${backup}`;
    throw new ArchiveError('Invalid', what);
  }
  const wanted = named.findLast((one) => isBefore(one, target));
  if (!wanted) {
    throw new ArchiveError(
      'Invalid',
      `no backup ends before the target; the earliest backup ends at ${named[0]?.stoppedAt}, ${named[0]?.endLSN}`,
    );
  }
  return chainOf(wanted, backups);
}

/**
 * Returns the backups that a backup is based on, then the backup itself.
 *
 * @throws ArchiveError if one of them is missing
 */
export function chainOf(backup: ArchivedBackup, backups: readonly ArchivedBackup[]): readonly ArchivedBackup[] {
  const chain = [backup];
  for (let last = backup; last.parent !== undefined; ) {
    const parent = backups.find(({ id }) => id === last.parent);
    if (!parent)
      throw new ArchiveError(
        'Corrupted',
        `backup ${last.id} is based on ${last.parent}, which is missing in the archive`,
      );
    chain.unshift(parent);
    last = parent;
  }
  return chain;
}

/** Returns the backups that can be restored: no backup in their chain is missing. */
export function restorable(backups: readonly ArchivedBackup[]): readonly ArchivedBackup[] {
  const ids = new Set<string>();
  // A backup is newer than the backup that it is based on.
  for (const { id, parent } of backups) if (parent === undefined || ids.has(parent)) ids.add(id);
  return backups.filter(({ id }) => ids.has(id));
}

/**
 * Returns true if the backup ends before the target, so that recovery can reach it. Named restore points always pass: their LSN
 * is unknown.
 */
function isBefore({ stoppedAt, endLSN }: ArchivedBackup, { time, lsn }: RecoveryTarget): boolean {
  if (time !== undefined) return Date.parse(stoppedAt) <= Date.parse(time);
  return lsn === undefined || parseLsn(endLSN) <= parseLsn(lsn);
}
