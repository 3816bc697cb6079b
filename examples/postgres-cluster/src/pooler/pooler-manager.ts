import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, sleep } from '@kubewright/apimachinery';
import type { Logger } from '@kubewright/runtime';
import { poolerRole } from '../instance/protocol.ts';
import { signalsFor } from './changed-files.ts';
import { completeSettings, type PoolerFiles, readPoolerFiles } from './pooler-files.ts';

export interface PoolerManagerOptions {
  readonly address: string;
  /** Mount point of the pooler's Secret. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Name or path of the PgBouncer executable. @defaultValue `pgbouncer` */
  readonly program?: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** Starts the server of the metrics. @defaultValue none */
  readonly serveMetrics?: (parts: { readonly sockets: string; readonly files: PoolerFiles }) => Promise<MetricsServer>;
}

/** Serves the metrics of a running PgBouncer. */
export interface MetricsServer extends AsyncDisposable {
  /** Called when the files have changed. */
  update(files: PoolerFiles): void;
}

/** Thrown if PgBouncer cannot be started, or exits unexpectedly. */
export class PoolerError extends Error {
  override readonly name = 'PoolerError';
}

/** Interval between reads of the mounted files. */
const readMs = 1_000;
/** Time for transactions to end at shutdown. The pod's termination grace period is 60 s. */
const stopMs = 50_000;
/** Debian installs PgBouncer in a folder that is not on an ordinary user's PATH. */
const moreFolders = '/usr/sbin:/usr/local/sbin';

/** Runs PgBouncer with the settings that the operator writes, and reloads it when they change. */
export class PoolerManager {
  readonly #options: PoolerManagerOptions;
  #files: PoolerFiles | undefined;

  constructor(options: PoolerManagerOptions) {
    this.#options = options;
  }

  /**
   * Runs PgBouncer until `signal` is aborted. @throws PoolerError if PgBouncer does not start, or exits unexpectedly
   */
  async run(signal: AbortSignal): Promise<void> {
    const sockets = await mkdtemp(join(tmpdir(), 'pooler-'));
    try {
      const files = await readPoolerFiles(this.#options.folder);
      await this.#write(files, sockets);
      await using metrics = await this.#options.serveMetrics?.({ sockets, files });
      const child = this.#start(join(sockets, 'pgbouncer.ini'));
      const over = new AbortController();
      const ended = endOf(child).finally(() => over.abort());
      const either = AbortSignal.any([signal, over.signal]);
      await Promise.race([this.#follow(child, { sockets, metrics, signal: either }), ended]);
      if (!signal.aborted) throw new PoolerError(`PgBouncer exited unexpectedly: ${await ended}`);
      await this.#stop(child, ended);
    } finally {
      await rm(sockets, { recursive: true, force: true });
    }
  }

  #start(settings: string): ChildProcess {
    const { env, log, program = 'pgbouncer' } = this.#options;
    const path = `${env['PATH'] ?? ''}:${moreFolders}`;
    const child = spawn(program, [settings], {
      env: { ...env, PATH: path },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    child.once('spawn', () => log.info('started PgBouncer', { pid: child.pid }));
    return child;
  }

  /** Polls the files and applies changes until `signal` is aborted. */
  async #follow(
    child: ChildProcess,
    {
      sockets,
      metrics,
      signal,
    }: { readonly sockets: string; readonly metrics: MetricsServer | undefined; readonly signal: AbortSignal },
  ): Promise<void> {
    const { clock, folder, log } = this.#options;
    // PgBouncer starts unpaused, even if it should be paused.
    let before: PoolerFiles | undefined = this.#files && { ...this.#files, paused: 'false' };
    while (!signal.aborted) {
      await sleep(clock, { ms: readMs, signal }).catch(() => undefined);
      if (signal.aborted) return;
      try {
        const now = await readPoolerFiles(folder);
        const signals = signalsFor(before, now);
        if (signals.length > 0) {
          await this.#write(now, sockets);
          metrics?.update(now);
        }
        for (const each of signals) {
          log.info('applying changed settings', { signal: each });
          child.kill(each);
          // Waits, because PgBouncer handles signals that arrive together in any order.
          await sleep(clock, { ms: 100, signal });
        }
        before = now;
      } catch (error) {
        if (!signal.aborted) log.error('cannot read the settings', { error });
      }
    }
  }

  async #write(files: PoolerFiles, sockets: string): Promise<void> {
    const { address, folder } = this.#options;
    const settings = completeSettings(files['pgbouncer.ini'], { address, folder, sockets });
    await writeFile(join(sockets, 'users.txt'), `"${poolerRole}" ""\n`, { mode: 0o600 });
    await writeFile(join(sockets, 'pgbouncer.ini'), settings, { mode: 0o600 });
    this.#files = files;
  }

  /** Stops PgBouncer after its transactions have ended, or kills it after {@link stopMs}. */
  async #stop(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
    const over = new AbortController();
    child.kill('SIGINT');
    const late = sleep(this.#options.clock, { ms: stopMs, signal: over.signal }).then(
      () => child.kill('SIGKILL'),
      () => undefined,
    );
    await ended;
    over.abort();
    await late;
  }
}

/** Waits for the process to exit, and describes how it ended. @throws PoolerError if it cannot be started */
async function endOf(child: ChildProcess): Promise<string> {
  try {
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    return signal === null ? `exit code ${code}` : `killed by ${signal}`;
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const why = isMissing ? 'the program is not installed; install the package pgbouncer' : String(error);
    throw new PoolerError(`cannot start pgbouncer: ${why}`, { cause: error });
  }
}
