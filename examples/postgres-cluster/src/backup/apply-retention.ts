import type { ArchivedFile, ArchiveStore } from '../archive/archive-store.ts';
import { backupFiles, listBackups } from './archived-backup.ts';
import { type Expired, expired } from './retention.ts';

/** Storing a file never takes this long, so an older unfinished write was interrupted. */
const interruptedMs = 3 * 24 * 3_600_000;

/** Deletes the files that the retention policy no longer needs. If interrupted, the next call continues. */
export async function applyRetention(
  store: ArchiveStore,
  { keep, now, signal }: { readonly keep: number; readonly now: Date; readonly signal: AbortSignal },
): Promise<Expired> {
  const files: ArchivedFile[] = [];
  for await (const file of store.list('', { signal })) files.push(file);
  const old = expired(await listBackups(store, signal), { files, keep });
  for (const id of [...old.backups, ...old.incomplete]) {
    const { info, manifest, data } = backupFiles(id);
    // The info file goes first: without it, the backup no longer counts as complete.
    for (const name of [info, manifest, data]) await store.delete(name, { signal });
  }
  for (const name of old.wal) await store.delete(name, { signal });
  await store.deleteInterrupted('', { before: new Date(now.getTime() - interruptedMs), signal });
  return old;
}
