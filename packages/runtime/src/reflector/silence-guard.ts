import type { Clock, Timer } from '@kubewright/apimachinery';

/** Gives a stream up that has brought no byte for too long: a half-open connection looks exactly like a quiet one. */
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

  /** Aborted by silence, or along with the outer signal. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** True if it was silence that ended the stream. */
  get fired(): boolean {
    return this.#fired;
  }

  /** Notes that bytes came. Cheap: the timer is not touched. */
  touch(): void {
    this.#lastMs = this.#clock.monotonic();
  }

  /** Changes how long silence may last. */
  allow(silenceMs: number): void {
    const sooner = silenceMs < this.#silenceMs;
    this.#silenceMs = silenceMs;
    // A longer time is noticed when the timer fires; a shorter one would be noticed too late.
    if (!sooner || this.#controller.signal.aborted) return;
    this.#timer[Symbol.dispose]();
    this.#timer = this.#arm(silenceMs);
  }

  [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]();
    this.#outer.removeEventListener('abort', this.#abort);
    // Whoever left the stream without reading it to its end must not leave it open.
    this.#controller.abort();
  }

  readonly #abort = (): void => this.#controller.abort(this.#outer.reason);

  #arm(delayMs: number): Timer {
    return this.#clock.setTimer(delayMs, () => {
      const rest = this.#lastMs + this.#silenceMs - this.#clock.monotonic();
      if (rest > 0) this.#timer = this.#arm(rest);
      else {
        this.#fired = true;
        this.#controller.abort(new Error(`no byte for ${this.#silenceMs} ms`));
      }
    });
  }
}
