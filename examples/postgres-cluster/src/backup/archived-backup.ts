import { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import type { ArchiveStore } from '../archive/archive-store.ts';

/** A complete base backup in the archive, as described by its file `backup.json`, which is written last. */
export interface ArchivedBackup {
  /** Folder of the backup. Ids sort by time. */
  readonly id: string;
  readonly type: 'full' | 'incremental';
  /** The backup that an incremental one continues. */
  readonly parent?: string;
  /** Name and UID of the `PostgresBackup`. */
  readonly name: string;
  readonly uid: string;
  readonly systemID: string;
  /** Version of the server as a number, such as 150004. */
  readonly serverVersion: number;
  readonly segmentBytes: number;
  readonly timeline: number;
  readonly beginLSN: string;
  readonly endLSN: string;
  readonly beginWAL: string;
  readonly endWAL: string;
  readonly startedAt: string;
  readonly stoppedAt: string;
  /** Size of the files, before compression. */
  readonly sizeBytes: number;
}

/** Names of the files of a backup. */
export function backupFiles(id: string): { readonly data: string; readonly manifest: string; readonly info: string } {
  return { data: `base/${id}/data.tar.gz`, manifest: `base/${id}/backup_manifest`, info: `base/${id}/backup.json` };
}

/** Lists the complete backups in an archive, oldest first. */
export async function listBackups(store: ArchiveStore, signal: AbortSignal): Promise<readonly ArchivedBackup[]> {
  const backups: ArchivedBackup[] = [];
  for await (const { name } of store.list('base/', { signal })) {
    if (!name.endsWith('/backup.json')) continue;
    const content = await store.get(name, { signal });
    // Deleted meanwhile, or written by `recordBackup`.
    if (content) backups.push((await json(content)) as ArchivedBackup);
  }
  return backups.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Completes a backup: from now on it is listed. */
export async function recordBackup(store: ArchiveStore, backup: ArchivedBackup, signal: AbortSignal): Promise<void> {
  const content = Buffer.from(`${JSON.stringify(backup, undefined, 2)}\n`);
  await store.put(backupFiles(backup.id).info, Readable.from([content]), { signal });
}
