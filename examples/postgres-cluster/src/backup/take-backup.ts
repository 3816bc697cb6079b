import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { constants, createGzip } from 'node:zlib';
import type { Clock } from '@kubewright/apimachinery';
import { ArchiveError } from '../archive/archive-error.ts';
import { ensureOwner } from '../archive/archive-owner.ts';
import type { ArchiveStore } from '../archive/archive-store.ts';
import { readIdentity } from '../archive/system-identity.ts';
import { segmentAt } from '../archive/wal-file.ts';
import type { BackupRequest } from '../instance/protocol.ts';
import type { ProgramContext } from '../instance/server/run-program.ts';
import { parseLsn } from '../lsn.ts';
import { type ArchivedBackup, backupFiles, listBackups, recordBackup } from './archived-backup.ts';
import { chainOf, restorable } from './backup-chain.ts';
import { awaitWal, finishWal } from './backup-wal.ts';
import { startProgram } from './program.ts';
import { ReplicationSession } from './replication-session.ts';
import { verifyBackup } from './verify-backup.ts';

/** The first version that supports incremental backups. */
const incrementalVersion = 170_000;

export interface BackupContext {
  readonly store: ArchiveStore;
  /** ID of the cluster; see `ensureOwner`. */
  readonly cluster: string | undefined;
  /** Connection string of the server, for a role with `REPLICATION`. */
  readonly connection: string;
  /** Data directory of the server. */
  readonly dataDirectory: string;
  readonly programs: ProgramContext;
  /** Folder for small temporary files. */
  readonly folder: string;
  /** Switches the primary to a new WAL file, so that it archives the current file. */
  readonly switchWal: () => Promise<void>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Copies a running server into the archive, and waits until the archive has the WAL that makes the copy consistent. Then reads the
 * copy back to verify it.
 *
 * @throws ArchiveError, or Error with the message of `pg_basebackup`
 */
export async function takeBackup({ name, uid, type }: BackupRequest, context: BackupContext): Promise<ArchivedBackup> {
  const { store, clock, signal } = context;
  const startedAt = new Date(clock.now());
  const id = `${startedAt.toISOString().replace(/[-:]|\.\d+/g, '')}-${name}`;
  await using session = new ReplicationSession(context.connection, { context: context.programs, signal });
  const server = await session.server();
  const identity = await readIdentity(context.dataDirectory);
  await ensureOwner(store, { identity, cluster: context.cluster, signal });
  const parent = type === 'incremental' ? await parentFor(server, context) : undefined;
  await finishWal(session, { ...context, copy: (limited) => copy(id, { ...context, parent, signal: limited }) });
  const { data, manifest } = backupFiles(id);
  try {
    const verified = await verifyBackup(store, id, signal);
    const { wal, sizeBytes } = verified;
    const { segmentBytes } = server;
    await awaitWal(store, { ranges: wal, segmentBytes, clock, signal });
    const [{ timeline, beginLSN }] = wal;
    const { endLSN, timeline: lastTimeline } = wal.at(-1) ?? wal[0];
    await store.put(manifest, Readable.from([Buffer.from(verified.text)]), { signal });
    const backup: ArchivedBackup = {
      id,
      name,
      uid,
      type,
      ...(parent && { parent: parent.id }),
      ...server,
      timeline,
      beginLSN,
      endLSN,
      beginWAL: segmentAt(parseLsn(beginLSN), { timeline, segmentBytes }),
      endWAL: segmentAt(parseLsn(endLSN), { timeline: lastTimeline, segmentBytes, isEnd: true }),
      startedAt: startedAt.toISOString(),
      stoppedAt: new Date(clock.now()).toISOString(),
      sizeBytes,
    };
    // For an incremental backup, the backup that it builds on may have been deleted in the meantime.
    chainOf(backup, await listBackups(store, signal));
    await recordBackup(store, backup, signal);
    return backup;
  } catch (error) {
    // If this fails, the retention policy deletes the file later.
    await store.delete(data, { signal }).catch(() => undefined);
    throw error;
  }
}

/** Streams the server's files into the archive. The file is visible there only if `pg_basebackup` succeeds. */
async function copy(
  id: string,
  options: BackupContext & { readonly parent: ArchivedBackup | undefined },
): Promise<void> {
  const { store, connection, programs, signal, parent } = options;
  const folder = await mkdtemp(join(options.folder, 'backup-'));
  try {
    if (programs.user) await chown(folder, programs.user.uid, programs.user.gid);
    const args = [
      `--dbname=${connection}`,
      '--pgdata=-',
      '--format=tar',
      // The WAL comes from the archive. If the copy included it, the server would retain all WAL until the copy ends,
      // which can fill its disk.
      '--wal-method=none',
      '--checkpoint=fast',
      '--manifest-checksums=SHA256',
      `--label=${id}`,
      ...(parent ? [`--incremental=${await manifestOf(parent, { store, folder, signal })}`] : []),
    ];
    const program = startProgram('pg_basebackup', { args, context: programs, signal });
    program.stdin.end();
    const compressed = createGzip({ level: constants.Z_BEST_SPEED });
    const copying = pipeline(whole(program), compressed, { signal });
    // A failure also makes `compressed` fail, and `put` reports it.
    copying.catch(() => undefined);
    await store.put(backupFiles(id).data, compressed, { signal });
    await copying;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Yields the output of a program. Throws at the end if the program failed, so that a truncated copy is not stored. */
async function* whole({ stdout, succeeded }: ReturnType<typeof startProgram>): AsyncGenerator<Buffer> {
  for await (const chunk of stdout) yield chunk as Buffer;
  await succeeded;
}

async function parentFor(
  { serverVersion, systemID }: { readonly serverVersion: number; readonly systemID: string },
  { store, signal }: BackupContext,
): Promise<ArchivedBackup> {
  if (serverVersion < incrementalVersion) {
    throw new ArchiveError('Invalid', 'incremental backups need PostgreSQL 17; set type to full');
  }
  const backups = await listBackups(store, signal);
  const major = (version: number) => Math.floor(version / 10_000);
  const newest = restorable(backups).findLast(
    (one) => one.systemID === systemID && major(one.serverVersion) === major(serverVersion),
  );
  if (!newest)
    throw new ArchiveError('Invalid', 'there is no backup to base an incremental backup on; take a full backup first');
  return newest;
}

async function manifestOf(
  { id }: ArchivedBackup,
  { store, folder, signal }: { readonly store: ArchiveStore; readonly folder: string; readonly signal: AbortSignal },
): Promise<string> {
  const { manifest } = backupFiles(id);
  const content = await store.get(manifest, { signal });
  if (!content) throw new ArchiveError('Corrupted', `${manifest} is missing`);
  const path = join(folder, 'backup_manifest');
  await writeFile(path, await text(content));
  return path;
}
