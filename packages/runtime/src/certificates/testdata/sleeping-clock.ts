import type { Clock, Timer } from '@kubewright/apimachinery';

/** A clock that counts its pending timers, which it sets on the clock below. */
export class SleepingClock implements Clock {
  readonly #below: Clock;
  readonly #pending = new Set<object>();

  constructor(below: Clock) {
    this.#below = below;
  }

  /** Number of pending timers that were set on this clock. */
  get sleeping(): number {
    return this.#pending.size;
  }

  now(): number {
    return this.#below.now();
  }

  monotonic(): number {
    return this.#below.monotonic();
  }

  setTimer(delayMs: number, callback: () => void): Timer {
    const entry = {};
    this.#pending.add(entry);
    const timer = this.#below.setTimer(delayMs, () => {
      this.#pending.delete(entry);
      callback();
    });
    return {
      [Symbol.dispose]: () => {
        this.#pending.delete(entry);
        timer[Symbol.dispose]();
      },
    };
  }
}
