import type { RecoveryTarget } from '../api/v1/postgres-cluster.ts';
import { ArchiveError } from '../archive/archive-error.ts';
import { parseLsn } from '../archive/wal-file.ts';
import type { ArchivedBackup } from './archived-backup.ts';

/** A backup to restore. */
export interface WantedBackup {
  /** Name of the `PostgresBackup`, or id of the backup. The newest one that ended before the target if missing. */
  readonly backup?: string | undefined;
  readonly target?: RecoveryTarget | undefined;
}

/**
 * Returns the backups that are needed to restore one: from the full one to the wanted one.
 *
 * @param backups - the backups in the archive, oldest first
 * @throws ArchiveError if none exists, or one is missing
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
  const chain = [wanted];
  for (let last = wanted; last.parent !== undefined; ) {
    const parent = backups.find(({ id }) => id === last.parent);
    if (!parent)
      throw new ArchiveError('Corrupted', `the archive contains no backup ${last.parent}, which ${last.id} needs`);
    chain.unshift(parent);
    last = parent;
  }
  return chain;
}

/** Returns true if recovery from a backup can reach a target. The position of a named restore point is unknown. */
function isBefore({ stoppedAt, endLSN }: ArchivedBackup, { time, lsn }: RecoveryTarget): boolean {
  if (time !== undefined) return Date.parse(stoppedAt) <= Date.parse(time);
  return lsn === undefined || parseLsn(endLSN) <= parseLsn(lsn);
}
