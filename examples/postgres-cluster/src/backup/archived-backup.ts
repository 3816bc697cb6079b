import { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import type { ArchiveStore } from '../archive/archive-store.ts';

/** A complete base backup in the archive: the content of its file `backup.json`, which is written last. */
export interface ArchivedBackup {
  /** Id and folder name of the backup. Ids sort by time. */
  readonly id: string;
  readonly type: 'full' | 'incremental';
  /** Id of the backup that this incremental backup is based on. */
  readonly parent?: string;
  /** Name and UID of the `PostgresBackup`. */
  readonly name: string;
  readonly uid: string;
  readonly systemID: string;
  /** The server's `server_version_num`, such as 150004. */
  readonly serverVersion: number;
  readonly segmentBytes: number;
  readonly timeline: number;
  readonly beginLSN: string;
  readonly endLSN: string;
  readonly beginWAL: string;
  readonly endWAL: string;
  readonly startedAt: string;
  readonly stoppedAt: string;
  /** Uncompressed size of the files. */
  readonly sizeBytes: number;
}

/** Returns the names of a backup's files in the archive. */
export function backupFiles(id: string): { readonly data: string; readonly manifest: string; readonly info: string } {
  return { data: `base/${id}/data.tar.gz`, manifest: `base/${id}/backup_manifest`, info: `base/${id}/backup.json` };
}

/** Lists the complete backups in an archive, oldest first. */
export async function listBackups(store: ArchiveStore, signal: AbortSignal): Promise<readonly ArchivedBackup[]> {
  const backups: ArchivedBackup[] = [];
  for await (const { name } of store.list('base/', { signal })) {
    if (!name.endsWith('/backup.json')) continue;
    const content = await store.get(name, { signal });
    // Undefined if the file was deleted in the meantime. Otherwise, `recordBackup` wrote it.
    if (content) backups.push((await json(content)) as ArchivedBackup);
  }
  return backups.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Writes a backup's info file. From then on, the backup is complete and listed. */
export async function recordBackup(store: ArchiveStore, backup: ArchivedBackup, signal: AbortSignal): Promise<void> {
  const content = Buffer.from(`${JSON.stringify(backup, undefined, 2)}\n`);
  await store.put(backupFiles(backup.id).info, Readable.from([content]), { signal });
}
