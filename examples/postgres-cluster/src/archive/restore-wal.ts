import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { ArchiveStore } from './archive-store.ts';
import { decompressed } from './decompressed.ts';
import { archivedWal } from './wal-file.ts';

/**
 * Restores a WAL file from the archive. The file appears at `path` atomically.
 *
 * @returns false if the archive does not have it
 */
export async function restoreWal(
  store: ArchiveStore,
  { name, path, signal }: { readonly name: string; readonly path: string; readonly signal: AbortSignal },
): Promise<boolean> {
  const archived = archivedWal(name);
  const content = await store.get(archived, { signal });
  if (!content) return false;
  const temporary = `${path}.incomplete`;
  try {
    await pipeline(decompressed(content, archived), createWriteStream(temporary), { signal });
    await rename(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
  return true;
}
