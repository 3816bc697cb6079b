import { logEvents } from '../log/log-events.ts';
import type { Logger } from '../log/logger.ts';
import type { Runnable, RunnableContext } from '../runnable/runnable.ts';
import { ManagerError } from './manager-error.ts';
import type { StopBudget } from './stop-budget.ts';

/** Arguments passed to all runnables of a group when they start. Each runnable gets its own log. */
interface Start {
  readonly stop: AbortController;
  readonly context: SharedContext;
}

type SharedContext = Omit<RunnableContext, 'log'>;

/** Runnables that are started and stopped together. Can be restarted after a stop. */
export class RunnableGroup {
  readonly #log: Logger;
  readonly #failed: (error: unknown) => void;
  readonly #runnables: Runnable[] = [];
  #started: Start | undefined;
  readonly #running = new Map<Runnable, Promise<void>>();
  /** Runnables whose earlier run ignored its signal and is still running. */
  readonly #leftBehind = new Map<Runnable, number>();

  /** @param options.failed - called when a runnable rejects before it is stopped. */
  constructor(options: { readonly log: Logger; readonly failed: (error: unknown) => void }) {
    this.#log = options.log;
    this.#failed = options.failed;
  }

  /** Adds a runnable, and starts it if the group is running. */
  add(runnable: Runnable): void {
    this.#runnables.push(runnable);
    if (this.#started) this.#run(runnable, this.#started);
  }

  /** Removes a runnable that exits on its own, so the group does not start it again. */
  remove(runnable: Runnable): void {
    const index = this.#runnables.indexOf(runnable);
    if (index >= 0) this.#runnables.splice(index, 1);
  }

  /** Starts all runnables; resolves when all are ready, or when `signal` is aborted. */
  async start(signal: AbortSignal, context: SharedContext): Promise<void> {
    if (this.#started || signal.aborted) return;
    const started: Start = { stop: new AbortController(), context };
    this.#started = started;
    for (const runnable of this.#runnables) this.#run(runnable, started);
    const either = AbortSignal.any([signal, started.stop.signal]);
    try {
      await Promise.all(this.#runnables.map((runnable) => runnable.ready?.(either)));
    } catch (error) {
      if (!either.aborted) throw error;
    }
  }

  /** Stops all runnables and waits for them; logs and abandons runnables that do not end in time. */
  async stop(budget: StopBudget): Promise<void> {
    this.#started?.stop.abort(new ManagerError({ what: 'the manager is stopping' }));
    const names = (): readonly string[] => [...this.#running.keys()].map((runnable) => runnable.name);
    const lasts = (): void => {
      if (this.#running.size === 0) return;
      const fields = {
        runnables: names(),
        atMostMs: budget.leftMs,
        ...(budget.endsAtOnce && { endsAtOnce: budget.endsAtOnce }),
      };
      this.#log.info('stopping: waiting for runnables to end', { event: logEvents.runnablesStopping, ...fields });
    };
    if (!(await budget.wait(Promise.all(this.#running.values()), { names, lasts }))) {
      this.#log.error('runnables did not stop in time; make each runnable return when its signal is aborted', {
        event: logEvents.runnablesLate,
        runnables: names(),
      });
      this.#leaveBehind();
    }
    this.#started = undefined;
  }

  #run(runnable: Runnable, started: Start): void {
    if (this.#leftBehind.has(runnable)) {
      // Waiting for the earlier run could keep the runnable from ever running again. The earlier run can no longer
      // write, because its client is bound to a term that has ended.
      this.#log.warn('starting a runnable although its previous run has not stopped', {
        event: logEvents.runnableOverlapping,
        runnable: runnable.name,
      });
    }
    const running = this.#guard(runnable, started).finally(() => {
      if (this.#running.get(runnable) === running) this.#running.delete(runnable);
    });
    this.#running.set(runnable, running);
  }

  #leaveBehind(): void {
    for (const [runnable, running] of this.#running) {
      this.#running.delete(runnable);
      const count = (by: number): void => {
        const left = (this.#leftBehind.get(runnable) ?? 0) + by;
        if (left > 0) this.#leftBehind.set(runnable, left);
        else this.#leftBehind.delete(runnable);
      };
      count(1);
      void running.finally(() => count(-1));
    }
  }

  async #guard(runnable: Runnable, { stop: { signal }, context }: Start): Promise<void> {
    try {
      await runnable.run(signal, { ...context, log: this.#log.named(runnable.name) });
    } catch (error) {
      if (signal.aborted)
        this.#log.debug('a runnable failed after it was stopped', {
          event: logEvents.runnableStopFailed,
          runnable: runnable.name,
          error,
        });
      else this.#failed(new ManagerError({ what: `the runnable "${runnable.name}" failed` }, { cause: error }));
    }
  }
}
