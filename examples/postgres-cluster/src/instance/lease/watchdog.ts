import { type ChildProcess, spawn } from 'node:child_process';
import type { Logger } from '@kubewright/runtime';
import { disarmed, systemMs } from './watchdog-program.ts';

export interface WatchdogOptions {
  /** Command that runs this program. */
  readonly command: readonly string[];
  readonly dataDirectory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Logger;
}

/** The server is killed this long before another instance can acquire the Lease. */
const marginMs = 500;

/**
 * A process that kills the server of a primary whose instance manager hangs. The kubelet's liveness probe does the same, but only on
 * a node whose kubelet works. It runs while this instance holds the Lease.
 */
export class Watchdog implements Disposable {
  readonly #options: WatchdogOptions;
  #child: ChildProcess | undefined;

  constructor(options: WatchdogOptions) {
    this.#options = options;
  }

  /** Lets the server run until the Lease expires, in `forMs`. */
  allow(forMs: number): void {
    this.#child ??= this.#start();
    this.#child.stdin?.write(`${systemMs() + forMs - marginMs}\n`);
  }

  /** Lets the server run without a limit: it is a standby, or is not running. */
  disarm(): void {
    this.#child?.stdin?.end(`${disarmed}\n`);
    this.#child = undefined;
  }

  [Symbol.dispose](): void {
    this.disarm();
  }

  #start(): ChildProcess {
    const { command, dataDirectory, env, log } = this.#options;
    const [program = '', ...args] = command;
    const child = spawn(program, [...args, 'watchdog', dataDirectory], {
      cwd: '/',
      env: { ...env },
      stdio: ['pipe', 'inherit', 'inherit'],
    });
    const ended = (error?: Error): void => {
      if (this.#child !== child) return;
      // The next renewal of the Lease starts another one.
      this.#child = undefined;
      log.warn('the watchdog ended', { ...(error && { error }) });
    };
    child.once('error', ended).once('exit', () => ended());
    child.stdin?.on('error', () => undefined); // expected if the process has ended; see `ended`
    return child;
  }
}
