import { constants, copyFile, rm, statfs, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { ArchiveError } from '../archive/archive-error.ts';
import type { ArchiveStore } from '../archive/archive-store.ts';
import { type ArchivedBackup, backupFiles } from './archived-backup.ts';
import { parseManifest } from './backup-manifest.ts';
import { combinedBytes } from './combined-size.ts';

/** The parts of a restore that determine the space it needs. */
interface SpaceInput {
  /** The full backup, then the incremental ones. */
  readonly chain: readonly ArchivedBackup[];
  readonly dataDirectory: string;
  readonly store: ArchiveStore;
  readonly signal: AbortSignal;
}

/**
 * Checks that a restore fits on the volume, before hours of downloads. The backups and their combination exist at the
 * same time. Returns the message for a volume that fills up despite this check.
 *
 * @throws ArchiveError with the reason `NoSpace`
 */
export async function ensureSpace(input: SpaceInput): Promise<string> {
  const { chain, dataDirectory } = input;
  const folder = dirname(dataDirectory);
  const backups = chain.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const combined = chain.length > 1 && !(await sharesBlocks(folder)) ? await combinationOf(input) : 0;
  const parts = combined > 0 ? ` (${backups} for the backups, ${combined} to combine them)` : '';
  const tooSmall = `the volume is too small to restore the backup ${chain.at(-1)?.id}, which needs at least ${backups + combined} bytes${parts}; set a larger spec.storage.size`;
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize >= backups + combined) return tooSmall;
  throw new ArchiveError('NoSpace', `${tooSmall}: only ${bavail * bsize} bytes are free`);
}

/** Returns true if `pg_combinebackup` can link unchanged files. */
export function linksFiles({ serverVersion }: Pick<ArchivedBackup, 'serverVersion'>): boolean {
  return serverVersion >= 180_000;
}

async function combinationOf({ chain, store, signal }: SpaceInput): Promise<number> {
  const manifests = [];
  for (const { id } of chain) {
    const { manifest } = backupFiles(id);
    const content = await store.get(manifest, { signal });
    if (!content) throw new ArchiveError('Corrupted', `${manifest} is missing`);
    manifests.push(parseManifest(await text(content)));
  }
  return combinedBytes(manifests, { linksFiles: chain.every(linksFiles) });
}

/**
 * Returns true if copies of files in a folder share their blocks, as on XFS and Btrfs. A combination then needs little
 * space.
 */
async function sharesBlocks(folder: string): Promise<boolean> {
  const [from, to] = ['source', 'copy'].map((name) => join(folder, `.kubewright-${name}`)) as [string, string];
  try {
    await writeFile(from, Buffer.alloc(8192));
    await copyFile(from, to, constants.COPYFILE_FICLONE_FORCE);
    return true;
  } catch {
    return false; // the file system does not support it
  } finally {
    await Promise.all([from, to].map((path) => rm(path, { force: true })));
  }
}
