import type { Logger } from '../log/logger.ts';
import { ManagerError } from './manager-error.ts';
import type { Runnable } from './runnable.ts';

/** Runnables that are started and stopped together. Can be started again after a stop. */
export class RunnableGroup {
  readonly #log: Logger;
  readonly #failed: (error: unknown) => void;
  readonly #runnables: Runnable[] = [];
  #stop: AbortController | undefined;
  #running = new Set<Promise<void>>();

  /** @param options.failed - told of a runnable that rejects before it was stopped. */
  constructor(options: { readonly log: Logger; readonly failed: (error: unknown) => void }) {
    this.#log = options.log;
    this.#failed = options.failed;
  }

  /** Adds a runnable, and starts it if the group runs. */
  add(runnable: Runnable): void {
    this.#runnables.push(runnable);
    if (this.#stop) this.#run(runnable, this.#stop.signal);
  }

  start(): void {
    if (this.#stop) return;
    this.#stop = new AbortController();
    for (const runnable of this.#runnables) this.#run(runnable, this.#stop.signal);
  }

  /** Stops all and waits for them. */
  async stop(): Promise<void> {
    this.#stop?.abort(new ManagerError('the manager stops'));
    await Promise.all(this.#running);
    this.#stop = undefined;
  }

  #run(runnable: Runnable, signal: AbortSignal): void {
    const running = this.#guard(runnable, signal).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async #guard(runnable: Runnable, signal: AbortSignal): Promise<void> {
    try {
      await runnable.run(signal);
    } catch (error) {
      if (signal.aborted)
        this.#log.debug('a runnable ended with an error after it was stopped', { runnable: runnable.name, error });
      else this.#failed(new ManagerError(`the runnable "${runnable.name}" failed`, { cause: error }));
    }
  }
}
