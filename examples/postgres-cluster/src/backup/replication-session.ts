import { createInterface, type Interface } from 'node:readline';
import type { ProgramContext } from '../instance/server/run-program.ts';
import { type StartedProgram, startProgram } from './program.ts';

/** The identity of the server that a backup is taken from. */
export interface BackedUpServer {
  readonly systemID: string;
  readonly serverVersion: number;
  readonly segmentBytes: number;
}

const units: Readonly<Record<string, number>> = { kB: 2 ** 10, MB: 2 ** 20, GB: 2 ** 30 };

/** A connection that understands both replication commands and SQL. */
export class ReplicationSession implements AsyncDisposable {
  readonly #program: StartedProgram;
  readonly #lines: Interface;
  readonly #answers: AsyncIterator<string>;

  /** @param connection - a connection string without `replication` */
  constructor(connection: string, options: { readonly context: ProgramContext; readonly signal: AbortSignal }) {
    const args = ['-X', '-A', '-t', '-q', '-v', 'ON_ERROR_STOP=1', `${connection} replication=database`];
    this.#program = startProgram('psql', { args, ...options });
    this.#lines = createInterface({ input: this.#program.stdout });
    this.#answers = this.#lines[Symbol.asyncIterator]();
  }

  /** Returns the identity of the server. */
  async server(): Promise<BackedUpServer> {
    const [systemID = ''] = await this.#send('IDENTIFY_SYSTEM');
    const [serverVersion] = await this.#send('SHOW server_version_num');
    const [size = ''] = await this.#send('SHOW wal_segment_size');
    const [, count, unit = ''] = /^(\d+)(\w+)$/.exec(size) ?? [];
    return { systemID, serverVersion: Number(serverVersion), segmentBytes: Number(count) * (units[unit] ?? 1) };
  }

  /** Returns true if a base backup has copied all files and is waiting for the server to archive its WAL. */
  async isWaitingForArchive(): Promise<boolean> {
    const [count] = await this.#send(
      "SELECT count(*) FROM pg_stat_progress_basebackup WHERE phase = 'waiting for wal archiving to finish'",
    );
    return count !== '0';
  }

  async #send(command: string): Promise<readonly string[]> {
    this.#program.stdin.write(`${command};\n`);
    const { done, value } = await this.#answers.next();
    if (!done) return value.split('|');
    await this.#program.succeeded;
    throw new Error(`psql ended before it replied to ${command}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#program.stdin.end();
    this.#lines.close();
    // A failure has already been reported to the caller.
    await this.#program.succeeded.catch(() => undefined);
  }
}
