import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, sleep } from '@kubewright/apimachinery';
import { ArchiveError } from '../archive/archive-error.ts';
import type { ProgramContext } from '../instance/server/run-program.ts';
import { runProgram, type StartedProgram, startProgram } from './program.ts';

/** Settings recorded in `pg_control`. To replay the original server's WAL, a server must not set them lower. */
const fromControlFile = [
  'max_connections',
  'max_worker_processes',
  'max_wal_senders',
  'max_prepared_xacts',
  'max_locks_per_xact',
];
const settingNames: Readonly<Record<string, string>> = {
  max_prepared_xacts: 'max_prepared_transactions',
  max_locks_per_xact: 'max_locks_per_transaction',
};
const pollMs = 100;

export interface RecoveryServerOptions {
  /** A restored data directory. */
  readonly dataDirectory: string;
  /** True if the data is used after recovery. If false, `fsync` is off. */
  readonly isKept: boolean;
  /** Recovery settings, as returned by `recoverySettings`. */
  readonly settings: Readonly<Record<string, string>>;
  readonly programs: ProgramContext;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * A temporary server that replays WAL in a restored data directory. It accepts connections only through a private socket. It
 * ignores the original server's settings, which may refer to missing files, and archives nothing.
 */
export class RecoveryServer implements AsyncDisposable {
  readonly #options: RecoveryServerOptions;
  readonly #folder: string;
  readonly #stop = new AbortController();
  readonly #server: StartedProgram;

  private constructor(
    options: RecoveryServerOptions,
    parts: { readonly folder: string; readonly args: readonly string[] },
  ) {
    const { programs: context, signal } = options;
    this.#options = options;
    this.#folder = parts.folder;
    const ends = AbortSignal.any([signal, this.#stop.signal]);
    this.#server = startProgram('postgres', { args: parts.args, context, signal: ends });
  }

  /** Starts the server, and waits for the end of recovery. @throws Error with the end of the server's log if it fails */
  static async recover(options: RecoveryServerOptions): Promise<RecoveryServer> {
    const { dataDirectory, programs } = options;
    // The name is short because the path of a Unix socket is limited to about 100 bytes.
    const folder = await mkdtemp(join(tmpdir(), 'pg-'));
    if (programs.user) await chown(folder, programs.user.uid, programs.user.gid);
    await writeFile(join(folder, 'hba.conf'), 'local all all trust\n');
    await writeFile(join(folder, 'postgresql.conf'), '');
    await writeFile(join(dataDirectory, 'recovery.signal'), '');
    const settings = {
      config_file: join(folder, 'postgresql.conf'),
      hba_file: join(folder, 'hba.conf'),
      unix_socket_directories: folder,
      listen_addresses: '',
      // If the data is kept, the failing command retains the new timeline's WAL, which the next server archives.
      ...(options.isKept ? { archive_mode: 'on', archive_command: 'false' } : { archive_mode: 'off', fsync: 'off' }),
      // With hot standby, recovery would pause forever if the original server raised one of these settings after the
      // backup.
      hot_standby: 'off',
      ssl: 'off',
      shared_preload_libraries: '',
      primary_conninfo: '',
      ...(await settingsInControlFile(options)),
      ...options.settings,
    };
    const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const server = new RecoveryServer(options, { folder, args: ['-D', dataDirectory, ...args] });
    try {
      await server.#recovered();
    } catch (error) {
      await server[Symbol.asyncDispose]();
      throw error;
    }
    return server;
  }

  /** Runs a query, and returns one line per row. */
  async query(sql: string, { database }: { readonly database: string }): Promise<readonly string[]> {
    const { programs: context, signal } = this.#options;
    const connection = `host=${this.#folder} user=postgres dbname='${database.replace(/['\\]/g, '\\$&')}'`;
    const args = ['-X', '-A', '-t', '-v', 'ON_ERROR_STOP=1', '-c', sql, connection];
    const output = await runProgram('psql', { args, context, signal });
    return output.split('\n').slice(0, -1);
  }

  async #recovered(): Promise<void> {
    const { clock, signal } = this.#options;
    let isRunning = true;
    this.#server.succeeded
      .catch(() => undefined)
      .finally(() => {
        isRunning = false;
      });
    while (isRunning) {
      signal.throwIfAborted();
      const [answer] = await this.query('SELECT NOT pg_is_in_recovery()', { database: 'postgres' }).catch(() => []);
      if (answer === 't') return;
      await sleep(clock, { ms: pollMs, signal });
    }
    await this.#server.succeeded.catch((cause: Error) => {
      if (!cause.message.includes('recovery ended before configured recovery target was reached')) throw cause;
      throw new ArchiveError(
        'TargetNotReached',
        'the archive ends before the recovery target; choose an earlier target, or wait until more WAL is archived',
        { cause },
      );
    });
    throw new Error('the restored server stopped');
  }

  /** Shuts the server down cleanly, so that its data directory is consistent. */
  async stop(): Promise<void> {
    this.#server.kill('SIGINT');
    await this.#server.succeeded;
  }

  /** Kills the server if it is still running. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#server.succeeded.catch(() => undefined);
    await rm(this.#folder, { recursive: true, force: true });
  }
}

async function settingsInControlFile({
  dataDirectory,
  programs: context,
  signal,
}: RecoveryServerOptions): Promise<Readonly<Record<string, string>>> {
  const text = await runProgram('pg_controldata', { args: [dataDirectory], context, signal });
  return Object.fromEntries(
    fromControlFile.flatMap((name) => {
      const value = new RegExp(`^${name} setting: +(\\d+)$`, 'm').exec(text)?.[1];
      return value === undefined ? [] : [[settingNames[name] ?? name, value]];
    }),
  );
}
