import { writeFile } from 'node:fs/promises';
import type { Clock } from '@kubewright/apimachinery';
import type { InitdbOptions } from '../instance/server/copy-data.ts';
import type { ProgramContext } from '../instance/server/run-program.ts';
import { checkSchema } from './check-schema.ts';
import { exportedPrograms, exportPrograms } from './export-programs.ts';
import { upgradeData } from './upgrade-data.ts';
import { UpgradeError } from './upgrade-error.ts';

/** Environment variables of the containers of a major upgrade. */
export const upgradeVariables = {
  /** {@link UpgradeRequest} as JSON. */
  request: 'UPGRADE',
  /** The data directory of the primary. */
  data: 'PGDATA',
  /** Folder for sockets. */
  sockets: 'PGHOST',
  /** Folder for the programs of the old version. */
  programs: 'UPGRADE_PROGRAMS',
  /** For a check: the trial server's folder, and the folder with the client certificate for the primary. */
  folder: 'UPGRADE_FOLDER',
  certificates: 'UPGRADE_CERTIFICATES',
  /** File for the {@link UpgradeResult}: the container's termination message. */
  result: 'UPGRADE_RESULT',
} as const;

/** The settings of the cluster that the containers need. */
export interface UpgradeRequest {
  readonly initdb: InitdbOptions;
  readonly parameters: Readonly<Record<string, string>>;
  /** Name of the primary's Service. */
  readonly host: string;
}

/** The result of a major upgrade's container. */
export type UpgradeResult =
  | { readonly succeeded: true; readonly systemID?: string }
  | { readonly succeeded: false; readonly message: string };

/** Exit code for failures that a retry cannot fix. */
export const finalExitCode = 3;

const commands = ['export-programs', 'upgrade-check', 'upgrade'] as const;
type Command = (typeof commands)[number];

export function isUpgradeCommand(command: string | undefined): command is Command {
  return commands.some((each) => each === command);
}

interface ProgramParts {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly programs: ProgramContext;
  readonly clock: Clock;
  readonly log: (message: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Runs a step of a major upgrade, and returns the exit code: 0 if it succeeded, {@link finalExitCode} if retrying is pointless.
 *
 * @throws Error for a failure that a retry may fix
 */
export async function runUpgradeProgram(command: Command, parts: ProgramParts): Promise<number> {
  const variable = (name: string): string => {
    const value = parts.env[name];
    if (!value) throw new Error(`cannot run ${command}: ${name} is not set`);
    return value;
  };
  if (command === 'export-programs') {
    await exportPrograms(variable(upgradeVariables.programs), parts);
    return 0;
  }
  const result = await resultOf(command, { ...parts, variable });
  parts.log(result.succeeded ? `${command} succeeded` : `${command} failed: ${result.message}`);
  await writeFile(variable(upgradeVariables.result), JSON.stringify(result));
  return result.succeeded ? 0 : finalExitCode;
}

async function resultOf(
  command: Exclude<Command, 'export-programs'>,
  { variable, ...parts }: ProgramParts & { readonly variable: (name: string) => string },
): Promise<UpgradeResult> {
  // Written by `upgradeJobFor`.
  const request = JSON.parse(variable(upgradeVariables.request)) as UpgradeRequest;
  const socketDirectory = variable(upgradeVariables.sockets);
  try {
    if (command === 'upgrade-check') {
      const folder = variable(upgradeVariables.folder);
      const certificates = variable(upgradeVariables.certificates);
      await checkSchema({ ...parts, ...request, certificates, folder, socketDirectory });
      return { succeeded: true };
    }
    const oldPrograms = await exportedPrograms(variable(upgradeVariables.programs));
    const dataDirectory = variable(upgradeVariables.data);
    const systemID = await upgradeData({
      ...parts,
      initdb: request.initdb,
      dataDirectory,
      oldPrograms,
      socketDirectory,
    });
    return { succeeded: true, systemID };
  } catch (error) {
    if (error instanceof UpgradeError) return { succeeded: false, message: error.message };
    throw error;
  }
}
