import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Clock } from '@kubewright/apimachinery';
import { parseControlData } from '../instance/server/control-data.ts';
import { type InitdbOptions, initdb } from '../instance/server/copy-data.ts';
import { programMajor } from '../instance/server/program-version.ts';
import { type ProgramContext, ProgramError, runProgram } from '../instance/server/run-program.ts';
import { endServerProcesses } from '../instance/server/server-processes.ts';
import { acceptedParameters } from './candidate-settings.ts';
import { withTrialServer } from './trial-server.ts';
import { UpgradeError } from './upgrade-error.ts';
import { upgradeFailure } from './upgrade-failure.ts';
import { UpgradeFolders } from './upgrade-folders.ts';

export interface UpgradeOptions {
  readonly dataDirectory: string;
  /** PostgreSQL programs of the new version. */
  readonly programs: ProgramContext;
  /** Folder with the programs of the old version. */
  readonly oldPrograms: string;
  readonly initdb: InitdbOptions;
  /** Folder for sockets. Its path must be short. */
  readonly socketDirectory: string;
  readonly clock: Clock;
  readonly log: (message: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Settings for servers of the old version. The failing archive command archives nothing, and keeps the server from
 * removing WAL.
 */
const oldSettings = '-c archive_command=/bin/false -c synchronous_standby_names= -c ssl=off -c listen_addresses=';

/**
 * Upgrades the data of a stopped primary with pg_upgrade, and returns the system identifier of the new data. The
 * upgrade can be interrupted at any time without losing data; call this again to continue or start over.
 *
 * @throws UpgradeError if the data cannot be upgraded; the old data is unchanged
 */
export async function upgradeData(options: UpgradeOptions): Promise<string> {
  const { dataDirectory, programs, oldPrograms, clock, log, signal } = options;
  const folders = new UpgradeFolders(dataDirectory);
  const old = { ...programs, folder: oldPrograms };
  const from = await programMajor(old, signal);
  const to = await programMajor(programs, signal);
  // A killed attempt may have left programs running.
  await endPrograms(folders, clock);
  if (await folders.isHalfSwapped()) {
    log('finishing an upgrade that was interrupted while it replaced the data directory');
    await folders.swap();
  } else if ((await folders.major()) === from) {
    if (await folders.rollBack(from)) log('cleaned up after an interrupted upgrade');
    await prepare({ ...options, folders, old, from });
    await folders.swap();
  }
  const major = await folders.major();
  if (major !== to) throw new UpgradeError(`the volume has data of version ${major}, expected version ${from}`);
  const { stdout } = await runProgram('pg_controldata', { args: ['-D', dataDirectory], context: programs, signal });
  return parseControlData(stdout).systemID;
}

interface Preparation extends UpgradeOptions {
  readonly folders: UpgradeFolders;
  readonly old: ProgramContext;
  /** The old major version. */
  readonly from: number;
}

/** Ends pg_upgrade, whose working directory is the work folder, and servers, which run in the data folders. */
async function endPrograms({ work, data, prepared }: UpgradeFolders, clock: Clock): Promise<void> {
  for (const path of [work, data, prepared]) await endServerProcesses(path, clock);
}

/** Creates the upgraded data in the `prepared` folder. If this fails, everything is rolled back. */
async function prepare(options: Preparation): Promise<void> {
  const { folders, programs, from, log, signal, clock, dataDirectory, socketDirectory } = options;
  const { work } = folders;
  await rm(work, { recursive: true, force: true });
  await mkdir(work, { mode: 0o700 });
  await mkdir(socketDirectory, { recursive: true, mode: 0o700 });
  try {
    await recover(options);
    log('creating the new data directory');
    await initdb(folders.prepared, { ...options.initdb, auth: 'trust', context: programs, signal });
    const parameters = await acceptedParameters(dirname(dataDirectory));
    const trial = { programs, parameters, folder: work, socketDirectory, clock, signal };
    await withTrialServer(folders.prepared, trial, async () => undefined);
    for (const step of ['--check', '--link']) {
      log(`running pg_upgrade ${step}`);
      await runUpgrade(step, options);
    }
  } catch (error) {
    // An abort kills only the program that this process started, not the servers that the program has started.
    await endPrograms(folders, clock);
    await folders.rollBack(from);
    throw error;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Recovers the data of a server that was killed: pg_upgrade rejects data that was not shut down cleanly. */
async function recover({ folders, old, dataDirectory, socketDirectory, log, signal }: Preparation): Promise<void> {
  const run = (program: string, ...args: readonly string[]) =>
    runProgram(program, { args: ['-D', dataDirectory, ...args], context: old, signal });
  const { state } = parseControlData((await run('pg_controldata')).stdout);
  if (state === 'shut down') return;
  log(`the server was not stopped cleanly (${state}): recovering`);
  const socket = `-c unix_socket_directories=${socketDirectory}`;
  await run('pg_ctl', '-w', '-l', join(folders.work, 'recovery.log'), '-o', `${oldSettings} ${socket}`, 'start');
  await run('pg_ctl', '-w', '-m', 'fast', 'stop');
}

async function runUpgrade(
  step: string,
  { folders, programs, old, socketDirectory, signal }: Preparation,
): Promise<void> {
  const args = [
    step,
    `--old-bindir=${old.folder}`,
    `--old-datadir=${folders.data}`,
    `--new-datadir=${folders.prepared}`,
    `--old-options=${oldSettings}`,
    `--socketdir=${socketDirectory}`,
    '--username=postgres',
    ...(programs.folder === undefined ? [] : [`--new-bindir=${programs.folder}`]),
  ];
  try {
    await runProgram('pg_upgrade', { args, context: programs, cwd: folders.work, signal });
  } catch (error) {
    if (!(error instanceof ProgramError) || signal.aborted) throw error;
    throw new UpgradeError(await upgradeFailure(error.output, folders.prepared), { cause: error });
  }
}
