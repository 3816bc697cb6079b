import type { Clock, Timer, VirtualClock } from '@kubewright/apimachinery';

/** The clock of a program whose synchronous work takes time: timers fire late, once the event loop is free again. */
export class BusyClock implements Clock {
  readonly #base: VirtualClock;
  #workedUntilMs = 0;

  constructor(base: VirtualClock) {
    this.#base = base;
  }

  now(): number {
    return this.#base.now() + this.monotonic() - this.#base.monotonic();
  }

  monotonic(): number {
    return Math.max(this.#base.monotonic(), this.#workedUntilMs);
  }

  setTimer(delayMs: number, callback: () => void): Timer {
    return this.#base.setTimer(this.monotonic() - this.#base.monotonic() + delayMs, callback);
  }

  /** Advances time without letting anything else run, as a computation does. */
  work(ms: number): void {
    this.#workedUntilMs = this.monotonic() + ms;
  }

  /** Fires the timers that fell due during work, and advances time by `ms`. */
  async turn(ms: number): Promise<void> {
    await this.#base.advance(this.monotonic() - this.#base.monotonic() + ms);
  }
}
