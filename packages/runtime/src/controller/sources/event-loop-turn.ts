import { setImmediate } from 'node:timers'; // seam: see its use
import type { Clock } from '@kubewright/apimachinery';

/** Maximum total time for which reconciles that never wait may hold the event loop, in milliseconds. */
const turnMs = 10;

/**
 * Tracks how long the current turn of the event loop has lasted. Reconciles that only read caches run entirely in microtasks: a
 * full queue of them would starve sockets and timers, including the timer that renews a lease.
 */
export class EventLoopTurn {
  readonly #clock: Clock;
  #sinceMs: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns a promise to await before the next piece of work if it is time to yield, otherwise undefined. */
  pause(): Promise<void> | undefined {
    const nowMs = this.#clock.monotonic();
    if (this.#sinceMs === undefined) {
      this.#sinceMs = nowMs;
      // seam: detects a new turn of the event loop; adds no delay.
      setImmediate(() => {
        this.#sinceMs = undefined;
      });
      return undefined;
    }
    if (nowMs - this.#sinceMs < turnMs) return undefined;
    // seam: yields to sockets and timers; adds no delay.
    return new Promise((resolve) => setImmediate(resolve));
  }
}
