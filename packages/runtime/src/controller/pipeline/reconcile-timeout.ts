import { type Clock, KubewrightError, type Timer } from '@kubewright/apimachinery';
import { Few } from '../../collection/few.ts';
import type { Lifetime } from '../../reconcile/context.ts';

/** How long a reconcile may take to notice that it was aborted, in milliseconds. */
export const settleMs = 10_000;

/** Thrown when a reconcile exceeds its time limit. */
export class ReconcileTimeoutError extends KubewrightError {
  override readonly name = 'ReconcileTimeoutError';
  /** The runtime retries the key with back-off. */
  readonly code = 'KW3005';

  constructor(reconcile: string, options: { readonly timeoutMs: number; readonly settled: boolean }) {
    const { timeoutMs, settled } = options;
    super(
      settled
        ? {
            what: `${reconcile} was aborted`,
            why: `it took longer than ${timeoutMs} ms`,
            remedy: 'pass ctx.signal to everything it waits for, or raise reconcileTimeoutMs',
          }
        : {
            what: `${reconcile} was abandoned`,
            why: `it took longer than ${timeoutMs} ms and ignored its signal; it may still run, but can no longer write through its context`,
            remedy: 'pass ctx.signal to everything it waits for',
          },
    );
  }
}

/** Options of a {@link TimeLimit}. */
export interface TimeLimitOptions {
  readonly clock: Clock;
  /** 0 disables the limit. */
  readonly timeoutMs: number;
  /** Also aborts the work. */
  readonly signal: AbortSignal;
}

/** One piece of work. Errors, signals and timers are created only when needed, because nearly every reconcile ends in time. */
class LimitedWork implements Lifetime {
  readonly dueMs: number;
  /** Names the work in errors. */
  readonly what: () => string;
  /** Replaces any error that the work throws after exceeding its limit. */
  over: ReconcileTimeoutError | undefined;
  /** Rejects the pending wait. */
  abandon: (reason: unknown) => void = () => {};
  readonly #clock: Clock;
  #settling: Timer | undefined;
  #controller: AbortController | undefined;
  #reason: (() => unknown) | undefined;

  constructor(clock: Clock, options: { readonly dueMs: number; readonly what: () => string }) {
    this.#clock = clock;
    this.dueMs = options.dueMs;
    this.what = options.what;
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#reason) this.#controller.abort(this.#reason());
    }
    return this.#controller.signal;
  }

  /** Aborts the signal; abandons the work if it ignores that. */
  giveUp(reason: unknown, whenIgnored: () => unknown): void {
    this.#end(() => reason);
    this.#settling ??= this.#clock.setTimer(settleMs, () => this.abandon(whenIgnored()), { unref: true });
  }

  /** Marks the end of the work: a context kept after the reconcile can no longer write. */
  ended(): void {
    this.#settling?.[Symbol.dispose]();
    this.#end(() => new Error(`${this.what()} is over`));
  }

  /** Keeps the first reason. */
  #end(reason: () => unknown): void {
    if (this.#reason) return;
    this.#reason = reason;
    this.#controller?.abort(reason());
  }
}

/**
 * Runs work with a time limit, using one timer for all work of the same limit. At the limit, the work's signal is aborted; work
 * that does not settle soon after is abandoned, so a call that never ends cannot block a worker forever.
 */
export class TimeLimit {
  readonly #options: TimeLimitOptions;
  /** Ordered by start, and therefore by deadline. */
  readonly #running = new Few<LimitedWork>();
  #timer: Timer | undefined;

  constructor(options: TimeLimitOptions) {
    this.#options = options;
    options.signal.addEventListener('abort', () => this.#aborted(), { once: true });
  }

  /**
   * Runs a piece of work.
   *
   * @throws ReconcileTimeoutError (KW3005) when it exceeds the limit, or whatever the work throws.
   */
  async run<R>(work: (lifetime: Lifetime) => Promise<R>, what: () => string): Promise<R> {
    const { clock, timeoutMs, signal: outer } = this.#options;
    const limited = new LimitedWork(clock, { dueMs: clock.monotonic() + timeoutMs, what });
    this.#running.add(limited);
    if (outer.aborted) limited.giveUp(outer.reason, () => outer.reason);
    else if (timeoutMs > 0 && !this.#timer) this.#arm(timeoutMs);
    try {
      return await new Promise<R>((resolve, reject) => {
        limited.abandon = reject;
        work(limited).then(resolve, reject);
      });
    } catch (error) {
      const { over } = limited;
      // Work that fails because its signal was aborted at the limit reports the timeout, whatever it throws.
      if (over && limited.signal.reason === over && !(error instanceof ReconcileTimeoutError)) throw over;
      throw error;
    } finally {
      this.#running.delete(limited);
      limited.ended();
    }
  }

  /** Not canceled when the work ends in time, which is nearly always the case: the timer checks when it fires. */
  #arm(delayMs: number): void {
    this.#timer = this.#options.clock.setTimer(delayMs, () => this.#onTime(), { unref: true });
  }

  #onTime(): void {
    const { clock, timeoutMs } = this.#options;
    this.#timer = undefined;
    const nowMs = clock.monotonic();
    for (const limited of this.#running) {
      const { what, over, dueMs } = limited;
      if (over) continue;
      if (dueMs > nowMs) {
        this.#arm(dueMs - nowMs);
        return;
      }
      limited.over = new ReconcileTimeoutError(what(), { timeoutMs, settled: true });
      limited.giveUp(limited.over, () => new ReconcileTimeoutError(what(), { timeoutMs, settled: false }));
    }
  }

  #aborted(): void {
    const { reason } = this.#options.signal;
    this.#timer?.[Symbol.dispose]();
    for (const limited of this.#running) limited.giveUp(reason, () => reason);
  }
}
