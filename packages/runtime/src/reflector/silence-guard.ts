import type { Clock, Timer } from '@kubewright/apimachinery';

/**
 * Aborts a stream that has received no byte for too long, because a half-open connection looks exactly like a quiet
 * connection.
 */
export class SilenceGuard implements Disposable {
  readonly #clock: Clock;
  #silenceMs: number;
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal;
  #timer: Timer;
  #lastMs: number;
  #fired = false;

  constructor(options: { readonly clock: Clock; readonly signal: AbortSignal; readonly silenceMs: number }) {
    this.#clock = options.clock;
    this.#silenceMs = options.silenceMs;
    this.#outer = options.signal;
    this.#lastMs = options.clock.monotonic();
    this.#timer = this.#arm(options.silenceMs);
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
  allow(silenceMs: number): void {
    const sooner = silenceMs < this.#silenceMs;
    this.#silenceMs = silenceMs;
    // A longer limit is checked when the timer fires; a shorter limit needs a new timer.
    if (!sooner || this.#controller.signal.aborted) return;
    this.#timer[Symbol.dispose]();
    this.#timer = this.#arm(silenceMs);
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
      const rest = this.#lastMs + this.#silenceMs - this.#clock.monotonic();
      if (rest > 0) this.#timer = this.#arm(rest);
      else {
        this.#fired = true;
        this.#controller.abort(new Error(`received nothing for ${this.#silenceMs} ms`));
      }
    });
  }
}
