import { randomUUID } from 'node:crypto';
import { chown, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Restore } from '../api/v1/postgres-cluster.ts';
import { ArchiveError } from '../archive/archive-error.ts';
import type { ArchiveStore } from '../archive/archive-store.ts';
import { decompressed } from '../archive/decompressed.ts';
import { copyFile, markAsCopy } from '../archive/system-identity.ts';
import type { ProgramContext } from '../instance/server/run-program.ts';
import { type ArchivedBackup, backupFiles } from './archived-backup.ts';
import { extractTar } from './extract-tar.ts';
import { runProgram } from './program.ts';
import { ensureSpace, linksFiles } from './restore-space.ts';
import { markRestored } from './unfinished-restore.ts';

/** A base backup to restore. */
export interface RestoreOrder {
  /** The full backup, then the incremental ones, as returned by `backupChain`. */
  readonly chain: readonly ArchivedBackup[];
  /** The data directory to create. It must not exist yet. */
  readonly dataDirectory: string;
  /** If set, the data directory is flushed to disk and marked as the result of this restore; see `isRestored`. */
  readonly resumable?: Restore;
  readonly store: ArchiveStore;
  readonly programs: ProgramContext;
  readonly signal: AbortSignal;
}

/**
 * Restores a base backup, and verifies it with `pg_verifybackup`. The data directory appears atomically. Before a server starts
 * in it, add the settings from `recoverySettings` and a file `recovery.signal`.
 *
 * @throws ArchiveError with the reason `Corrupted` if the backup is damaged, or `NoSpace` if the volume is too small
 */
export async function restoreBackup(order: RestoreOrder): Promise<void> {
  const { chain, dataDirectory, resumable, programs, signal } = order;
  const work = `${dataDirectory}.restoring`;
  const restored = join(work, 'data');
  // An interrupted attempt may have left this folder.
  await rm(work, { recursive: true, force: true });
  const tooSmall = await ensureSpace(order);
  await makeFolder(work, programs);
  try {
    const [first, ...rest] = chain;
    if (!first) throw new TypeError('there is no backup to restore');
    if (rest.length === 0) await extract(first, restored, order);
    else {
      const folders: string[] = [];
      for (const [index, backup] of chain.entries()) {
        const folder = join(work, String(index));
        await extract(backup, folder, order);
        folders.push(folder);
      }
      const args = [...sharing(first), '--output', restored, ...folders];
      await verified('pg_combinebackup', { args, context: programs, signal });
      for (const folder of folders) await rm(folder, { recursive: true });
    }
    // The WAL is not part of the backup: recovery reads it from the archive.
    const args = ['--exit-on-error', '--no-parse-wal', restored];
    await verified('pg_verifybackup', { args, context: programs, signal });
    await markAsCopy(restored, randomUUID()); // seam: must differ from the identity of any other copy
    if (programs.user) await chown(join(restored, copyFile), programs.user.uid, programs.user.gid);
    // A backup of a replica contains this file, which would make the restored server stream from the old primary.
    await rm(join(restored, 'standby.signal'), { force: true });
    if (resumable) {
      await markRestored(restored, resumable);
      await runProgram('initdb', { args: ['--sync-only', `--pgdata=${restored}`], context: programs, signal });
    }
    await rename(restored, dataDirectory);
  } catch (cause) {
    if (!isNoSpace(cause)) throw cause;
    throw new ArchiveError('NoSpace', `${tooSmall}: ${messageOf(cause)}`, { cause });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Returns the options that make `pg_combinebackup` share unchanged files with the backups, which are deleted afterwards. */
function sharing(backup: ArchivedBackup): readonly string[] {
  return linksFiles(backup) ? ['--link'] : ['--copy-file-range'];
}

function isNoSpace(error: unknown): boolean {
  return /ENOSPC|No space left on device/.test(messageOf(error));
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function extract(
  { id }: ArchivedBackup,
  folder: string,
  { store, programs, signal }: RestoreOrder,
): Promise<void> {
  const { data } = backupFiles(id);
  const stored = await store.get(data, { signal });
  if (!stored) throw new ArchiveError('Corrupted', `${data} is missing`);
  await makeFolder(folder, programs);
  const content = decompressed(stored, data);
  try {
    await extractTar(content, { name: data, folder, ...(programs.user && { owner: programs.user }) });
  } finally {
    content.destroy();
  }
}

/** Runs a program whose failure means that the backup is damaged. */
async function verified(...[name, options]: Parameters<typeof runProgram>): Promise<void> {
  try {
    await runProgram(name, options);
  } catch (cause) {
    options.signal.throwIfAborted();
    if (isNoSpace(cause)) throw cause;
    throw new ArchiveError('Corrupted', messageOf(cause), { cause });
  }
}

async function makeFolder(path: string, { user }: ProgramContext): Promise<void> {
  await mkdir(path, { mode: 0o700 });
  if (user) await chown(path, user.uid, user.gid);
}
