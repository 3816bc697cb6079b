import { readFile } from 'node:fs/promises';
import { ArchiveError } from './archive-error.ts';
import { clearFailure, reportFailure } from './archive-failure.ts';
import { type ArchiveLocation, openArchive } from './archive-location.ts';
import { readCluster } from './archive-owner.ts';
import { ArchivePause } from './archive-pause.ts';
import type { ArchiveStore } from './archive-store.ts';
import { archiveWal } from './archive-wal.ts';
import { ensureEndOfWal } from './end-of-wal.ts';
import { restoreWal } from './restore-wal.ts';
import { readIdentity } from './system-identity.ts';
import { walExitCodes } from './wal-commands.ts';
import { timelineOfHistory } from './wal-file.ts';

/** Time limit for one file; PostgreSQL has none and would wait forever. */
const timeoutMs = 10 * 60_000;

export interface WalProgramEnvironment {
  /** Arguments after the program's name, as built by `archiveCommand` and `restoreCommand`. */
  readonly args: readonly string[];
  /** Writes a line to PostgreSQL's log. */
  readonly log: (line: string) => void;
  /** Data directory, in which PostgreSQL runs the program. */
  readonly folder: string;
  readonly now: () => Date;
}

/** Returns true if {@link runWalProgram} handles these arguments. */
export function isWalProgram(args: readonly string[]): boolean {
  return args[0] === 'wal-archive' || args[0] === 'wal-restore';
}

/** Archives or restores one WAL file, for `archive_command` and `restore_command`. Returns the exit code. */
export async function runWalProgram(environment: WalProgramEnvironment): Promise<number> {
  const [verb, ...rest] = environment.args;
  return verb === 'wal-archive' ? archive(rest, environment) : restore(rest, environment);
}

async function archive(args: readonly string[], { log, folder, now }: WalProgramEnvironment): Promise<number> {
  const [locationFile = '', name = '', path = ''] = args;
  try {
    const signal = AbortSignal.timeout(timeoutMs); // seam: a limit for a program that runs once
    const location = await readLocation(locationFile);
    const store = await openArchive(location);
    const { owner: cluster } = location;
    await archiveWal(store, { name, path, identity: await readIdentity(folder), cluster, signal });
  } catch (error) {
    const message = `cannot archive ${name}: ${messageOf(error)}`;
    log(message);
    await reportFailure(locationFile, { file: name, time: now().toISOString(), message });
    return walExitCodes.failed;
  }
  await clearFailure(locationFile);
  return walExitCodes.done;
}

async function restore(args: readonly string[], environment: WalProgramEnvironment): Promise<number> {
  const [purpose, ...rest] = args;
  return purpose === 'standby' ? restoreOnStandby(rest, environment) : restoreForRecovery(rest, environment);
}

/** Restores a file on a standby, which streams WAL while the archive cannot be read. */
async function restoreOnStandby(args: readonly string[], { log, now }: WalProgramEnvironment): Promise<number> {
  const [locationFile = '', name = '', path = ''] = args;
  const pause = new ArchivePause(locationFile, now);
  try {
    const signal = AbortSignal.timeout(timeoutMs); // seam: a limit for a program that runs once
    const location = await readLocation(locationFile);
    // The timeline is newer than the primary's: it comes from an unfinished promotion, so standbys must not follow it.
    if ((timelineOfHistory(name) ?? 0) > (location.newestTimeline ?? Number.POSITIVE_INFINITY))
      return walExitCodes.missing;
    if (await pause.isActive()) return walExitCodes.missing;
    const store = await openArchive(location, { patience: 'short' });
    await ensureSameCluster(store, { location, signal });
    if (await restoreWal(store, { name, path, signal })) return walExitCodes.done;
    await pause.afterMiss();
    return walExitCodes.missing;
  } catch (error) {
    log(`cannot restore ${name}: ${messageOf(error)}`);
    await pause.begin();
    return walExitCodes.failed;
  }
}

/** Restores a file for a recovery, which a failure would end. */
async function restoreForRecovery(args: readonly string[], { log }: WalProgramEnvironment): Promise<number> {
  const [locationFile = '', name = '', path = ''] = args;
  try {
    const signal = AbortSignal.timeout(timeoutMs); // seam: a limit for a program that runs once
    const store = await openArchive(await readLocation(locationFile), { patience: 'long' });
    if (await restoreWal(store, { name, path, signal })) return walExitCodes.done;
    // Not checked for a standby: it streams the WAL that is not archived yet.
    await ensureEndOfWal(store, { name, path, signal });
    return walExitCodes.missing;
  } catch (error) {
    log(`cannot restore ${name}: ${messageOf(error)}`);
    return walExitCodes.stopRecovery;
  }
}

/**
 * Keeps a standby from replaying the WAL of another cluster: clones of one cluster's volumes share its system identifier and
 * timeline.
 */
async function ensureSameCluster(
  store: ArchiveStore,
  { location: { owner }, signal }: { readonly location: ArchiveLocation; readonly signal: AbortSignal },
): Promise<void> {
  const found = owner === undefined ? undefined : await readCluster(store, signal);
  if (found === undefined || found === owner) return;
  throw new ArchiveError('Conflict', 'the archive belongs to another cluster with the same database');
}

async function readLocation(locationFile: string): Promise<ArchiveLocation> {
  let text: string;
  try {
    text = await readFile(locationFile, 'utf8');
  } catch (cause) {
    throw new ArchiveError('Invalid', `cannot read the archive location: ${messageOf(cause)}`, { cause });
  }
  // Written by the instance manager.
  return JSON.parse(text) as ArchiveLocation;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
