import { type Clock, systemClock, type Timer } from '@kubewright/apimachinery';
import { type LogRecord, textOf } from './log-record.ts';

/** Maximum time between a failure and the end of its reconcile; both are logged in the same turn of the event loop. */
const waitMs = 500;
const maxHeld = 1_000;

/**
 * Joins the failure of a reconcile with the record of its end, which has the cause and the next attempt. Without `debug` logging,
 * an operator does not log the ends of reconciles, so its failures are passed on alone.
 */
export class PendingFailures {
  readonly #clock: Clock;
  readonly #alone: (failure: LogRecord) => void;
  readonly #held = new Map<string, { readonly failure: LogRecord; readonly timer: Timer }>();
  /**
   * True if the ends of reconciles are logged: cleared when a failure is passed on alone, and set when an end is
   * logged.
   */
  #endsFollow = true;

  /** @param options.alone - receives a failure of a reconcile whose end is not logged. */
  constructor(options: { readonly clock?: Clock | undefined; readonly alone: (failure: LogRecord) => void }) {
    this.#clock = options.clock ?? systemClock;
    this.#alone = options.alone;
  }

  /** Keeps a failure until the end of its reconcile is logged. */
  hold(failure: LogRecord): void {
    const id = textOf(failure, 'reconcileID');
    if (!this.#endsFollow || id === '') {
      this.#alone(failure);
      return;
    }
    const timer = this.#clock.setTimer(waitMs, () => {
      this.#endsFollow = false;
      this.#release(id);
    });
    this.#release(id);
    this.#held.set(id, { failure, timer });
    if (this.#held.size > maxHeld) this.#release(this.#held.keys().next().value ?? '');
  }

  /** Returns the failure of a reconcile that has ended. */
  take(end: LogRecord): LogRecord | undefined {
    this.#endsFollow = true;
    const id = textOf(end, 'reconcileID');
    const held = this.#held.get(id);
    this.#held.delete(id);
    held?.timer[Symbol.dispose]();
    return held?.failure;
  }

  /** Passes on everything that is still held when the log ends. */
  end(): void {
    for (const id of [...this.#held.keys()]) this.#release(id);
  }

  #release(id: string): void {
    const held = this.#held.get(id);
    if (!held) return;
    this.#held.delete(id);
    held.timer[Symbol.dispose]();
    this.#alone(held.failure);
  }
}
