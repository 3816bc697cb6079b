import type { Clock, Timer } from '@kubewright/apimachinery';
import type { ReconcileTimeoutError } from './limit-time.ts';

/** How long a reconcile can take to react to its abort, in milliseconds. */
export const settleMs = 10_000;

/** The parts of a reconcile that its lifetime uses. */
interface NamedRun {
  readonly clock: Clock;
  /** Names the reconcile in errors. */
  readonly name: string;
}

/**
 * The lifetime of one reconcile. Errors, signals and timers are created only when needed, because nearly every
 * reconcile ends in time without waiting.
 */
export class ReconcileLifetime {
  /** Error that replaces any error thrown by the reconcile after its time limit. */
  over: ReconcileTimeoutError | undefined;
  /** Rejects the pending wait. */
  abandon: (reason: unknown) => void = nothing;
  readonly #run: NamedRun;
  #state: 'running' | 'aborted' | 'ended' = 'running';
  /** Reason for the abort. */
  #reason: unknown;
  #controller: AbortController | undefined;
  #settling: Timer | undefined;

  constructor(run: NamedRun) {
    this.#run = run;
  }

  /** Aborted at the end. */
  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#state === 'aborted') this.#controller.abort(this.#reason);
      if (this.#state === 'ended') this.#controller.abort(this.#endedReason);
    }
    return this.#controller.signal;
  }

  /** Aborts the signal; abandons the reconcile if it ignores the abort. The first reason wins. */
  giveUp(reason: unknown, whenIgnored: () => unknown): void {
    if (this.#state === 'running') {
      this.#state = 'aborted';
      this.#reason = reason;
      this.#controller?.abort(reason);
    }
    this.#settling ??= this.#run.clock.setTimer(settleMs, () => this.abandon(whenIgnored()), { unref: true });
  }

  /** Marks the end of the reconcile, so a retained context can no longer write. */
  ended(): void {
    this.#settling?.[Symbol.dispose]();
    if (this.#state !== 'running') return;
    this.#state = 'ended';
    this.#controller?.abort(this.#endedReason);
  }

  get #endedReason(): Error {
    return new Error(`${this.#run.name} has ended`);
  }
}

function nothing(): void {}
