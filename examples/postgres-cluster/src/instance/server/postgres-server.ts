import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { type Clock, sleep } from '@kubewright/apimachinery';
import type { Logger } from '@kubewright/runtime';
import { type ProgramContext, programPath } from './run-program.ts';
import { endServerProcesses, signalProcess } from './server-processes.ts';
import { whenLate } from './when-late.ts';

/** Number of output lines kept for error messages. */
const keptLines = 20;
/** The kernel stops the server when this process ends for any reason. */
const withParent = '/usr/bin/setpriv';

export interface PostgresServerOptions {
  readonly dataDirectory: string;
  readonly context: ProgramContext;
  readonly clock: Clock;
  readonly log: Logger;
  /** Called when the server died, after all its processes have ended. Not called if it was stopped. */
  readonly onDeath: (ending: ServerDeath) => void;
  /** Called if processes of the server still run `stuckMs` after they were killed, for example because of a hanging disk. */
  readonly onStuck: () => void;
  readonly stuckMs: () => number;
}

export interface ServerDeath {
  readonly why: string;
  /** The last lines of the server's output. */
  readonly output: readonly string[];
}

export type StopMode = 'fast' | 'immediate';
const signals: Readonly<Record<StopMode, NodeJS.Signals>> = { fast: 'SIGINT', immediate: 'SIGQUIT' };

/** The process of one PostgreSQL server, a child of this process. */
export class PostgresServer {
  readonly #options: PostgresServerOptions;
  #child: ChildProcess | undefined;
  #ended: Promise<void> = Promise.resolve();
  #isStopping = false;
  #output: string[] = [];

  constructor(options: PostgresServerOptions) {
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#child !== undefined;
  }

  /** The last lines of the server's output. */
  get output(): readonly string[] {
    return this.#output;
  }

  /**
   * Starts the server, without waiting until it accepts connections. First ends the remaining processes of an earlier server.
   *
   * @param isAllowed - called immediately before the process is spawned
   * @returns false if `isAllowed` returned false
   */
  async start({ isAllowed }: { readonly isAllowed: () => boolean }): Promise<boolean> {
    const { dataDirectory, context, log } = this.#options;
    if (this.#child) throw new Error('the server is already running');
    const count = await this.#endProcesses();
    if (count > 0) log.warn('terminated processes of an earlier server', { count });
    const command = [programPath('postgres', context), '-D', dataDirectory];
    const [file = '', ...args] = existsSync(withParent) ? [withParent, '--pdeathsig', 'QUIT', ...command] : command;
    this.#output = [];
    this.#isStopping = false;
    if (!isAllowed()) return false;
    const env = { ...context.env, LC_MESSAGES: 'C' };
    const child = spawn(file, args, { env, ...context.user, cwd: '/', stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => this.#record(line));
    }
    this.#ended = new Promise((resolve) => {
      const onEnd = (why: string): void => void this.#hasEnded(why).then(resolve, resolve);
      child.once('error', (error) => onEnd(error.message));
      child.once('exit', (code, signal) =>
        onEnd(code === null ? `was killed by ${signal}` : `exited with code ${code}`),
      );
    });
    return true;
  }

  /** Reloads the server's configuration. */
  reload(): void {
    if (this.#child?.pid !== undefined) signalProcess(this.#child.pid, 'SIGHUP');
  }

  /**
   * Stops the server. `fast` disconnects clients, and waits until the replicas have received all WAL. After `withinMs`,
   * the remaining processes are killed. If `signal` is aborted, stops waiting. The server continues to stop, but is not
   * killed, so call this again.
   */
  async stop({
    mode,
    withinMs,
    signal,
  }: {
    readonly mode: StopMode;
    readonly withinMs: number;
    readonly signal?: AbortSignal;
  }): Promise<void> {
    const { clock, log } = this.#options;
    const pid = this.#child?.pid;
    if (pid === undefined) return this.#ended;
    this.#isStopping = true;
    signalProcess(pid, signals[mode]);
    const over = new AbortController();
    const either = signal ? AbortSignal.any([signal, over.signal]) : over.signal;
    const late = sleep(clock, { ms: withinMs, signal: either }).then(
      () => true,
      () => false,
    );
    const isLate = await Promise.race([this.#ended.then(() => false), late]);
    if (signal?.aborted) return;
    over.abort();
    if (isLate) {
      log.warn('killing the server, because it did not stop in time', { withinMs });
      this.kill();
    }
    await this.#ended;
    await this.#endProcesses();
  }

  /** Kills the server. */
  kill(): void {
    const pid = this.#child?.pid;
    if (pid === undefined) return;
    this.#isStopping = true;
    signalProcess(pid, 'SIGKILL');
    void this.#untilEnded(this.#ended);
  }

  async #hasEnded(why: string): Promise<void> {
    const { onDeath } = this.#options;
    // Backends can also confirm commits, until they have ended.
    await this.#endProcesses();
    const isStopping = this.#isStopping;
    this.#child = undefined;
    if (!isStopping) onDeath({ why, output: this.#output });
  }

  #endProcesses(): Promise<number> {
    const { clock, dataDirectory } = this.#options;
    return this.#untilEnded(endServerProcesses(dataDirectory, clock));
  }

  #untilEnded<T>(ending: Promise<T>): Promise<T> {
    const { clock, stuckMs, onStuck } = this.#options;
    return whenLate(ending, { clock, ms: stuckMs(), onLate: onStuck });
  }

  #record(line: string): void {
    this.#output.push(line);
    if (this.#output.length > keptLines) this.#output.shift();
    this.#options.log.info(line, { logger: 'postgres' });
  }
}
