import type { Clock, Timer } from '@kubewright/apimachinery';

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

/** What {@link withTimeout} is told. */
export interface TimeoutOptions {
  readonly clock: Clock;
  /** 0 is for ever. */
  readonly timeoutMs: number;
  /** Also gives the work up. */
  readonly signal: AbortSignal;
  /** Names the work in the error. */
  readonly what: string;
}

/** How long a reconcile may go on. */
export interface Lifetime {
  /** Aborted at the end, made when it is first asked for: most reconciles wait for nothing. */
  readonly signal: AbortSignal;
}

class EndingLifetime implements Lifetime {
  #controller: AbortController | undefined;
  #reason: (() => unknown) | undefined;

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#reason) this.#controller.abort(this.#reason());
    }
    return this.#controller.signal;
  }

  /** Ends it, once; the first reason stays. */
  end(reason: () => unknown): void {
    if (this.#reason) return;
    this.#reason = reason;
    this.#controller?.abort(reason());
  }
}

/**
 * Runs work that may take a limited time. At the limit its signal is aborted; work that does not settle soon after is
 * abandoned, so that one call that never ends cannot hold a worker for ever.
 *
 * @throws ReconcileTimeoutError (KW3005), or whatever the work throws.
 */
export async function withTimeout<R>(work: (lifetime: Lifetime) => Promise<R>, options: TimeoutOptions): Promise<R> {
  const { clock, timeoutMs, signal: outer, what } = options;
  const lifetime = new EndingLifetime();
  // Made when they are needed: an error costs more than all else here, and nearly every reconcile ends in time.
  let over: ReconcileTimeoutError | undefined;
  const timers: Timer[] = [];
  let abandon: (reason: unknown) => void = () => {};
  const abandoned = new Promise<never>((_, reject) => {
    abandon = reject;
  });
  const giveUp = (reason: unknown, whenIgnored: () => unknown): void => {
    lifetime.end(() => reason);
    timers.push(clock.setTimer(settleMs, () => abandon(whenIgnored()), { unref: true }));
  };
  const onOuter = (): void => giveUp(outer.reason, () => outer.reason);
  outer.addEventListener('abort', onOuter, { once: true });
  if (outer.aborted) onOuter();
  else if (timeoutMs > 0) {
    const onTime = (): void => {
      over = new ReconcileTimeoutError(what, { timeoutMs, settled: true });
      giveUp(over, () => new ReconcileTimeoutError(what, { timeoutMs, settled: false }));
    };
    timers.push(clock.setTimer(timeoutMs, onTime));
  }
  try {
    // A synchronous throw is a rejection like any other.
    return await Promise.race([new Promise<R>((resolve) => resolve(work(lifetime))), abandoned]);
  } catch (error) {
    // What fails because its signal was aborted at the limit fails for the limit, whatever it throws.
    if (over && lifetime.signal.reason === over && !(error instanceof ReconcileTimeoutError)) throw over;
    throw error;
  } finally {
    for (const timer of timers) timer[Symbol.dispose]();
    outer.removeEventListener('abort', onOuter);
    // Whoever kept the context of a reconcile that is over can no longer write with it.
    lifetime.end(() => new Error(`${what} is over`));
  }
}
