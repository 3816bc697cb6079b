import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@kubewright/apimachinery';
import type { DrillResult } from '../api/v1/postgres-backup-schedule.ts';
import { type ArchiveLocation, openArchive } from '../archive/archive-location.ts';
import { restoreCommand } from '../archive/wal-commands.ts';
import type { ProgramContext } from '../instance/server/run-program.ts';
import { listBackups } from './archived-backup.ts';
import { backupChain } from './backup-chain.ts';
import { RecoveryServer } from './recovery-server.ts';
import { recoverySettings } from './recovery-settings.ts';
import { restoreBackup } from './restore-backup.ts';

/** The archive to test, and the query that proves the restore. */
export interface DrillOrder {
  readonly location: ArchiveLocation;
  /** Query that must return at least one row in `database`. */
  readonly query: string;
  readonly database: string;
}

export interface DrillContext {
  /** An empty folder with enough space for the restored data. */
  readonly folder: string;
  readonly programs: ProgramContext;
  /** Command that runs `runWalProgram`. */
  readonly walCommand: readonly string[];
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Restores the newest backup and all archived WAL into a temporary server, and queries it. */
export async function runDrill(order: DrillOrder, context: DrillContext): Promise<DrillResult> {
  const { clock } = context;
  const startMs = clock.monotonic();
  let backup = '';
  let message: string | undefined;
  try {
    message = await drill(order, {
      ...context,
      onBackup: (id) => {
        backup = id;
      },
    });
  } catch (error) {
    message = error instanceof Error ? error.message : String(error);
  }
  return {
    backup,
    finishedAt: new Date(clock.now()).toISOString(),
    succeeded: message === undefined,
    ...(message !== undefined && { message }),
    durationSeconds: Math.round((clock.monotonic() - startMs) / 1000),
  };
}

/** Runs the drill. Returns why the query failed, or undefined if the drill succeeded. @throws Error if the restore fails */
async function drill(
  { location, query, database }: DrillOrder,
  context: DrillContext & { readonly onBackup: (id: string) => void },
): Promise<string | undefined> {
  const { folder, programs, walCommand, signal, onBackup } = context;
  const store = await openArchive(location, { patience: 'long' });
  const chain = backupChain(await listBackups(store, signal), {});
  onBackup(chain.at(-1)?.id ?? '');
  const dataDirectory = join(folder, 'data');
  const locationFile = join(folder, 'archive.json');
  await writeFile(locationFile, JSON.stringify(location));
  try {
    await restoreBackup({ chain, dataDirectory, store, programs, signal });
    const command = restoreCommand({ command: walCommand, locationFile }, 'recovery');
    const settings = recoverySettings({}, { restoreCommand: command });
    await using server = await RecoveryServer.recover({ dataDirectory, settings, isKept: false, ...context });
    const rows = await server.query(query, { database });
    return rows.length > 0 ? undefined : 'the query returned no row';
  } finally {
    await rm(dataDirectory, { recursive: true, force: true });
  }
}
