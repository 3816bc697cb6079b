import type { Clock, Timer } from '@kubewright/apimachinery';
import { SmallSet } from '../../collection/small-set.ts';
import { ReconcileTimeoutError } from './limit-time.ts';
import type { ReconcileRun } from './reconcile-run.ts';
import { firstReportMs, reportIfSlow } from './slow-reconciles.ts';

/** Options for {@link RunningReconciles}. */
export interface RunningReconcilesOptions {
  readonly clock: Clock;
  /** Time limit of a reconcile; 0 disables it. */
  readonly timeoutMs: number;
  /** Aborts all reconciles. */
  readonly signal: AbortSignal;
}

/**
 * The running reconciles of one controller. A single timer checks their start times, at most every ten seconds: it reports slow
 * reconciles and aborts reconciles that exceed the time limit. A reconcile that ends in time costs only its entry in the list.
 */
export class RunningReconciles {
  readonly #options: RunningReconcilesOptions;
  /** In order of their start. */
  readonly #running = new SmallSet<ReconcileRun>();
  /** The shortest time after its start at which a reconcile must be checked. */
  readonly #tickMs: number;
  #timer: Timer | undefined;

  constructor(options: RunningReconcilesOptions) {
    const { timeoutMs, signal } = options;
    this.#options = options;
    this.#tickMs = timeoutMs > 0 ? Math.min(timeoutMs, firstReportMs) : firstReportMs;
    signal.addEventListener('abort', () => this.#abort(), { once: true });
  }

  add(run: ReconcileRun): void {
    this.#running.add(run);
    // A reconcile that ends in time does not cancel the timer: the timer checks all reconciles when it fires.
    this.#timer ??= this.#arm(this.#tickMs);
  }

  delete(run: ReconcileRun): void {
    this.#running.delete(run);
  }

  /** Stops the timer. */
  stop(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }

  #arm(delayMs: number): Timer {
    return this.#options.clock.setTimer(delayMs, () => this.#check(), { unref: true });
  }

  #check(): void {
    this.#timer = undefined;
    if (this.#running.size === 0) return;
    const nowMs = this.#options.clock.monotonic();
    let nextMs = nowMs + this.#tickMs;
    for (const run of this.#running) {
      nextMs = Math.min(nextMs, reportIfSlow(run, nowMs), this.#limit(run, nowMs));
    }
    this.#timer = this.#arm(nextMs - nowMs);
  }

  /** Aborts a reconcile that exceeds the time limit; returns when to check it again. */
  #limit({ startMs, lifetime, name }: ReconcileRun, nowMs: number): number {
    const { timeoutMs } = this.#options;
    if (timeoutMs <= 0 || lifetime.over) return Number.POSITIVE_INFINITY;
    const dueMs = startMs + timeoutMs;
    if (dueMs > nowMs) return dueMs;
    lifetime.over = new ReconcileTimeoutError(name, { timeoutMs, settled: true });
    lifetime.giveUp(lifetime.over, () => new ReconcileTimeoutError(name, { timeoutMs, settled: false }));
    return Number.POSITIVE_INFINITY;
  }

  #abort(): void {
    const { reason } = this.#options.signal;
    for (const { lifetime } of this.#running) lifetime.giveUp(reason, () => reason);
  }
}
