import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@kubewright/apimachinery';
import { type ProgramContext, ProgramError, runProgram } from '../instance/server/run-program.ts';
import { endServerProcesses } from '../instance/server/server-processes.ts';
import { invalidSettings } from '../instance/settings/settings-keeper.ts';
import { candidateSettings } from './candidate-settings.ts';
import { UpgradeError } from './upgrade-error.ts';

export interface TrialOptions {
  readonly programs: ProgramContext;
  readonly parameters: Readonly<Record<string, string>>;
  /** Folder for the configuration and the log. */
  readonly folder: string;
  readonly socketDirectory: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Starts an empty server of the new version with the cluster's parameters, calls `use`, and stops the server. If
 * anything fails, the server is stopped without a clean shutdown.
 *
 * @throws UpgradeError if the server does not start
 */
export async function withTrialServer(
  dataDirectory: string,
  options: TrialOptions,
  use: () => Promise<void>,
): Promise<void> {
  const { programs: context, folder, clock, signal } = options;
  const settings = join(folder, 'trial.conf');
  const log = join(folder, 'trial.log');
  const control = (...args: readonly string[]): Promise<unknown> =>
    runProgram('pg_ctl', { args: ['-D', dataDirectory, '-w', ...args], context, signal });
  await writeFile(settings, candidateSettings(options.parameters, options));
  await rm(log, { force: true });
  try {
    await control('start', '-l', log, '-o', `-c config_file=${settings} -c listen_addresses=`).catch(async (error) => {
      throw await startFailure(error, log);
    });
    await use();
    await control('stop', '-m', 'fast');
  } catch (error) {
    // An abort kills pg_ctl, but not the server that pg_ctl has started.
    await endServerProcesses(dataDirectory, clock);
    throw error;
  } finally {
    await rm(settings, { force: true });
    await rm(log, { force: true });
  }
}

async function startFailure(error: unknown, log: string): Promise<unknown> {
  if (!(error instanceof ProgramError)) return error;
  const output = await readFile(log, 'utf8').catch(() => error.output); // it failed before it wrote a log
  const why = `a server of the new version does not start with the parameters of the cluster: ${invalidSettings(output)}`;
  return new UpgradeError(why, { cause: error });
}
