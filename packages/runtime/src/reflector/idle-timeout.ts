import type { Clock, Timer } from '@kubewright/apimachinery';

/**
 * Aborts a stream that has received no byte for too long, because a half-open connection looks exactly like a quiet
 * connection.
 */
export class IdleTimeout implements Disposable {
  readonly #clock: Clock;
  #idleMs: number;
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal;
  #timer: Timer;
  #lastMs: number;
  #fired = false;

  constructor(options: { readonly clock: Clock; readonly signal: AbortSignal; readonly idleMs: number }) {
    this.#clock = options.clock;
    this.#idleMs = options.idleMs;
    this.#outer = options.signal;
    this.#lastMs = options.clock.monotonic();
    this.#timer = this.#arm(options.idleMs);
    this.#outer.addEventListener('abort', this.#abort, { once: true });
    if (this.#outer.aborted) this.#abort();
  }

  /** Aborted by silence, or together with the outer signal. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** True if silence ended the stream. */
  get fired(): boolean {
    return this.#fired;
  }

  /** Records that bytes arrived. Cheap: does not touch the timer. */
  touch(): void {
    this.#lastMs = this.#clock.monotonic();
  }

  /** Changes the permitted length of silence. */
  allow(idleMs: number): void {
    const sooner = idleMs < this.#idleMs;
    this.#idleMs = idleMs;
    // A longer limit is checked when the timer fires; a shorter limit needs a new timer.
    if (!sooner || this.#controller.signal.aborted) return;
    this.#timer[Symbol.dispose]();
    this.#timer = this.#arm(idleMs);
  }

  [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]();
    this.#outer.removeEventListener('abort', this.#abort);
    // Close the stream if the caller stopped reading before the end.
    this.#controller.abort();
  }

  readonly #abort = (): void => this.#controller.abort(this.#outer.reason);

  #arm(delayMs: number): Timer {
    return this.#clock.setTimer(delayMs, () => {
      const rest = this.#lastMs + this.#idleMs - this.#clock.monotonic();
      if (rest > 0) this.#timer = this.#arm(rest);
      else {
        this.#fired = true;
        this.#controller.abort(new Error(`received nothing for ${this.#idleMs} ms`));
      }
    });
  }
}
