import type { Clock } from '@kubewright/apimachinery';
import { logEvents } from '../log/log-events.ts';
import type { Logger } from '../log/logger.ts';
import { Milestone } from '../runnable/milestone.ts';
import { ManagerError } from './manager-error.ts';
import { StopBudget } from './stop-budget.ts';
import { SignalStop } from './stop-signal.ts';

export interface ManagerLifecycleOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly gracefulShutdownTimeoutMs: number;
}

/** Carries the failure that caused a stop. */
class RunFailure extends Error {
  constructor(cause: unknown) {
    super('the manager failed', { cause });
  }
}

/** Tracks a manager's progress, the reason it stops, and how it ended. */
export class ManagerLifecycle {
  readonly started: Milestone = new Milestone();
  readonly elected: Milestone = new Milestone();
  readonly #options: ManagerLifecycleOptions;
  readonly #stop = new AbortController();
  readonly #stopErrors: unknown[] = [];
  #budget: StopBudget | undefined;

  constructor(options: ManagerLifecycleOptions) {
    this.#options = options;
  }

  /** Aborted when the manager should stop. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** The time budget shared by all parts that are stopped. */
  get budget(): StopBudget {
    this.#budget ??= this.newBudget();
    return this.#budget;
  }

  newBudget(): StopBudget {
    const { clock, gracefulShutdownTimeoutMs } = this.#options;
    const endsAtOnce = this.signal.reason instanceof SignalStop ? 'Ctrl-C (or SIGTERM) again' : undefined;
    return new StopBudget(clock, { totalMs: gracefulShutdownTimeoutMs, endsAtOnce });
  }

  /** Stops with a reason; only the first reason counts. */
  stop(reason: unknown): void {
    this.#stop.abort(reason);
  }

  /** Stops because of a failure, which `end` throws. */
  fail(error: unknown): void {
    if (this.signal.aborted)
      this.#options.log.error('error while stopping', { event: logEvents.managerStopFailed, error });
    else this.#stop.abort(new RunFailure(error));
  }

  /** Records that a part could not be stopped. */
  stopFailed(error: unknown): void {
    this.#options.log.error('error while stopping', { event: logEvents.managerStopFailed, error });
    this.#stopErrors.push(error);
  }

  /**
   * Reports the outcome: throws the failure that stopped the manager, the errors that occurred while stopping, or an
   * error that lists the parts that did not stop in time.
   */
  end(): void {
    const { reason } = this.signal;
    const late = this.budget.late.join(', ');
    const left = new ManagerError({
      what: `these parts of the manager did not stop in time: ${late}`,
      remedy: 'make each part return when its signal is aborted',
    });
    const [stopError, ...more] = this.#stopErrors;
    const stopping = more.length > 0 ? new AggregateError(this.#stopErrors, 'several parts failed to stop') : stopError;
    const failure = reason instanceof RunFailure ? reason.cause : (stopping ?? (late === '' ? undefined : left));
    const never = failure ?? new ManagerError({ what: 'the manager was stopped before it had started' });
    this.started.fail(never);
    this.elected.fail(never);
    if (failure !== undefined) throw failure;
  }
}
