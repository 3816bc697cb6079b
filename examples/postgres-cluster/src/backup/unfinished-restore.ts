import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Restore } from '../api/v1/postgres-cluster.ts';

/** File with the {@link Restore} in a restored data directory. It is deleted when recovery has ended. */
const restoreFile = 'kubewright.restore';

/** Marks a data directory as restored from a complete backup, so that recovery can resume in it after a failure. */
export async function markRestored(dataDirectory: string, restore: Restore): Promise<void> {
  await writeFile(join(dataDirectory, restoreFile), JSON.stringify(restore), { mode: 0o600, flush: true });
}

/** Returns true if an earlier attempt at the same restore has restored the backup to this data directory. */
export async function isRestored(dataDirectory: string, restore: Restore): Promise<boolean> {
  return (await readFile(join(dataDirectory, restoreFile), 'utf8').catch(absent)) === JSON.stringify(restore);
}

/** Returns true if the server has ended recovery in a restored data directory, and accepted writes. */
export async function hasRecovered(dataDirectory: string): Promise<boolean> {
  const found = await Promise.all(
    // The server renames backup_label when recovery starts, and deletes recovery.signal when recovery ends.
    ['backup_label', 'recovery.signal'].map((name) => stat(join(dataDirectory, name)).catch(absent)),
  );
  return found.every((file) => file === undefined);
}

/** Removes the mark from a data directory after its recovery has ended. */
export async function clearRestored(dataDirectory: string): Promise<void> {
  await rm(join(dataDirectory, restoreFile), { force: true });
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT') return undefined;
  throw error;
}
