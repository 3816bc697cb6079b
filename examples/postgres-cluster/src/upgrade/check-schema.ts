import { chmod, copyFile, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@kubewright/apimachinery';
import { operatorRole } from '../instance/protocol.ts';
import { type InitdbOptions, initdb } from '../instance/server/copy-data.ts';
import { type ProgramContext, runProgram } from '../instance/server/run-program.ts';
import { withTrialServer } from './trial-server.ts';
import { UpgradeError } from './upgrade-error.ts';

export interface CheckOptions {
  /** PostgreSQL programs of the new version. */
  readonly programs: ProgramContext;
  readonly initdb: InitdbOptions;
  readonly parameters: Readonly<Record<string, string>>;
  /** Name of the primary's Service. */
  readonly host: string;
  /** Folder with `ca.crt`, and the operator's `tls.crt` and `tls.key`. */
  readonly certificates: string;
  /** An empty folder for the trial server. */
  readonly folder: string;
  readonly socketDirectory: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Checks whether the new version accepts the parameters and the schema of a cluster, by restoring the schema into an empty
 * server. The servers of the old version keep running.
 *
 * @throws UpgradeError if the new version rejects the parameters or the schema
 */
export async function checkSchema(options: CheckOptions): Promise<void> {
  const { programs, folder, socketDirectory, signal } = options;
  const data = join(folder, 'data');
  await rm(data, { recursive: true, force: true });
  await mkdir(socketDirectory, { recursive: true, mode: 0o700 });
  await initdb(data, { ...options.initdb, auth: 'trust', context: programs, signal });
  await withTrialServer(data, options, async () => {
    const schema = join(folder, 'schema.sql');
    const source = await connectionTo(options);
    const dump = [`--dbname=${source}`, '--schema-only', '--no-role-passwords', `--file=${schema}`];
    await runProgram('pg_dumpall', { args: dump, context: programs, signal });
    const args = ['-X', '-q', '-h', socketDirectory, '-U', 'postgres', '-d', 'postgres', '-f', schema];
    const { stderr } = await runProgram('psql', { args, context: programs, signal });
    const failures = schemaFailures(stderr);
    if (failures.length > 0) throw new UpgradeError(`the new version rejects the schema: ${failures.join('; ')}`);
  });
}

/** Maximum number of errors in a message. The first error often causes the others. */
const maxFailures = 3;

/** Returns the errors in psql's output, except that `postgres` already exists: it does in every server. */
function schemaFailures(output: string): readonly string[] {
  const errors = output.split('\n').flatMap((line) => /ERROR:\s+(.*)$/.exec(line)?.[1] ?? []);
  return errors.filter((error) => error !== 'role "postgres" already exists').slice(0, maxFailures);
}

/**
 * Returns the connection string of the old primary. Copies the key, because libpq rejects a key that others can read.
 */
async function connectionTo({ host, certificates, folder }: CheckOptions): Promise<string> {
  const key = join(folder, 'client.key');
  await rm(key, { force: true });
  await copyFile(join(certificates, 'tls.key'), key);
  await chmod(key, 0o600);
  const parts = {
    host,
    port: 5432,
    user: operatorRole,
    dbname: 'postgres',
    sslmode: 'verify-ca',
    sslrootcert: join(certificates, 'ca.crt'),
    sslcert: join(certificates, 'tls.crt'),
    sslkey: key,
    connect_timeout: 10,
  };
  return Object.entries(parts)
    .map(([name, value]) => `${name}='${value}'`)
    .join(' ');
}
