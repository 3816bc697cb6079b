import { writeFile } from 'node:fs/promises';
import type { Clock } from '@kubewright/apimachinery';
import type { BackupTarget } from '../api/v1/postgres-cluster.ts';
import { archiveLocation } from '../archive/archive-location.ts';
import type { ProgramContext } from '../instance/server/run-program.ts';
import { runDrill } from './drill.ts';

/** Environment variables of a drill's container. */
export const drillVariables = {
  /** {@link DrillRequest} as JSON. */
  request: 'DRILL',
  /** Folders where the archive's volume claim and the bucket's credentials are mounted. */
  volume: 'ARCHIVE_VOLUME',
  credentials: 'ARCHIVE_CREDENTIALS',
  /** Folder for the restored data. */
  folder: 'DRILL_FOLDER',
  /** File for the `DrillResult`: the container's termination message. */
  result: 'DRILL_RESULT',
} as const;

/** The drill to run, as written by `drillJobFor`. */
export interface DrillRequest {
  readonly cluster: string;
  readonly target: BackupTarget;
  readonly query: string;
  readonly database: string;
}

/** Maximum length of the failure message: Kubernetes truncates termination messages to 4096 bytes. */
const maxMessageLength = 2000;

/** Runs the drill described by the environment variables, and returns the exit code: 0 if the restore succeeded. */
export async function runDrillProgram(context: {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly walCommand: readonly string[];
  readonly programs: ProgramContext;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}): Promise<number> {
  const variable = (name: string) => {
    const value = context.env[name];
    if (!value) throw new Error(`cannot run the drill: ${name} is not set`);
    return value;
  };
  // Written by `drillJobFor`.
  const { cluster, target, ...question } = JSON.parse(variable(drillVariables.request)) as DrillRequest;
  const mounts = { volume: variable(drillVariables.volume), credentials: variable(drillVariables.credentials) };
  const location = archiveLocation(target, { cluster, ...mounts });
  const result = await runDrill({ location, ...question }, { ...context, folder: variable(drillVariables.folder) });
  const message = result.message?.slice(0, maxMessageLength);
  await writeFile(variable(drillVariables.result), JSON.stringify({ ...result, ...(message && { message }) }));
  return result.succeeded ? 0 : 1;
}
