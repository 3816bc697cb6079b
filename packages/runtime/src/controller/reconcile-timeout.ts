import type { Clock, Timer } from '@kubewright/apimachinery';
import { Few } from '../collection/few.ts';

/** How long a reconcile may take to notice that it was given up, in milliseconds. */
export const settleMs = 10_000;

/** Thrown for a reconcile that took longer than it may. */
export class ReconcileTimeoutError extends Error {
  /** Names the class of failure; the runtime retries the key with back-off by itself. */
  readonly code = 'KW3005';

  constructor(what: string, options: { readonly timeoutMs: number; readonly settled: boolean }) {
    const { timeoutMs, settled } = options;
    super(
      settled
        ? `${what} took longer than ${timeoutMs} ms and was given up; pass ctx.signal to whatever it waits for, or raise reconcileTimeoutMs`
        : `${what} took longer than ${timeoutMs} ms and ignored its signal; it is abandoned and may still run, but can no longer write through its context`,
    );
    this.name = 'ReconcileTimeoutError';
  }
}

/** What a {@link TimeLimit} is made with. */
export interface TimeLimitOptions {
  readonly clock: Clock;
  /** 0 is for ever. */
  readonly timeoutMs: number;
  /** Also gives the work up. */
  readonly signal: AbortSignal;
}

/** How long a reconcile may go on. */
export interface Lifetime {
  /** Aborted at the end, made when it is first asked for: most reconciles wait for nothing. */
  readonly signal: AbortSignal;
}

/** One piece of work. Errors, signals and timers are made when they are needed: nearly every reconcile ends in time. */
class LimitedWork implements Lifetime {
  readonly dueMs: number;
  /** Names the work in errors. */
  readonly what: () => string;
  /** Thrown in place of whatever it fails with, once its time was over. */
  over: ReconcileTimeoutError | undefined;
  /** Ends the wait for it. */
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

  /** Aborts its signal; if it takes no notice it is abandoned. */
  giveUp(reason: unknown, whenIgnored: () => unknown): void {
    this.#end(() => reason);
    this.#settling ??= this.#clock.setTimer(settleMs, () => this.abandon(whenIgnored()), { unref: true });
  }

  /** Takes note of its end: whoever kept the context of a reconcile that is over can no longer write with it. */
  ended(): void {
    this.#settling?.[Symbol.dispose]();
    this.#end(() => new Error(`${this.what()} is over`));
  }

  /** The first reason stays. */
  #end(reason: () => unknown): void {
    if (this.#reason) return;
    this.#reason = reason;
    this.#controller?.abort(reason());
  }
}

/**
 * Runs work that may take a limited time, all that is of one limit behind one timer. At the limit a work's signal is aborted;
 * work that does not settle soon after is abandoned, so that one call that never ends cannot hold a worker for ever.
 */
export class TimeLimit {
  readonly #options: TimeLimitOptions;
  /** In order of their beginning, which is that of their limits. */
  readonly #running = new Few<LimitedWork>();
  #timer: Timer | undefined;

  constructor(options: TimeLimitOptions) {
    this.#options = options;
    options.signal.addEventListener('abort', () => this.#aborted(), { once: true });
  }

  /**
   * Runs a piece of work.
   *
   * @throws ReconcileTimeoutError (KW3005), or whatever the work throws.
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
      // What fails because its signal was aborted at the limit fails for the limit, whatever it throws.
      if (over && limited.signal.reason === over && !(error instanceof ReconcileTimeoutError)) throw over;
      throw error;
    } finally {
      this.#running.delete(limited);
      limited.ended();
    }
  }

  /** Not taken back when the work ends in time, which is nearly always: it finds out when it fires. */
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
