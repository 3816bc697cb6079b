import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ProgramContext, ProgramError, runProgram } from '../instance/server/run-program.ts';
import { invalidSettings } from '../instance/settings/settings-keeper.ts';
import { candidateSettings } from './candidate-settings.ts';
import { UpgradeError } from './upgrade-error.ts';

export interface TrialOptions {
  readonly programs: ProgramContext;
  readonly parameters: Readonly<Record<string, string>>;
  /** Folder for the configuration and the log. */
  readonly folder: string;
  readonly socketDirectory: string;
  readonly signal: AbortSignal;
}

/**
 * Starts an empty server of the new version with the cluster's parameters, calls `use`, and stops the server.
 *
 * @throws UpgradeError if the server does not start
 */
export async function withTrialServer(
  dataDirectory: string,
  { programs: context, parameters, folder, socketDirectory, signal }: TrialOptions,
  use: () => Promise<void>,
): Promise<void> {
  const settings = join(folder, 'trial.conf');
  const log = join(folder, 'trial.log');
  await writeFile(settings, candidateSettings(parameters, { socketDirectory }));
  await rm(log, { force: true });
  const control = (...args: readonly string[]): Promise<unknown> =>
    runProgram('pg_ctl', { args: ['-D', dataDirectory, '-w', ...args], context, signal });
  try {
    await control('start', '-l', log, '-o', `-c config_file=${settings} -c listen_addresses=`);
  } catch (error) {
    if (!(error instanceof ProgramError)) throw error;
    const output = await readFile(log, 'utf8').catch(() => error.output); // it failed before it wrote a log
    const why = `a server of the new version does not start with the parameters of the cluster: ${invalidSettings(output)}`;
    throw new UpgradeError(why, { cause: error });
  }
  try {
    await use();
  } finally {
    await control('stop', '-m', 'fast');
    await rm(settings, { force: true });
    await rm(log, { force: true });
  }
}
