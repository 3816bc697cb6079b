import { setImmediate } from 'node:timers'; // seam: see its use
import type { Clock } from '@kubewright/apimachinery';

/** How long reconciles that wait for nothing may hold the event loop together, in milliseconds. */
const turnMs = 10;

/**
 * Knows how long the present turn of the event loop has lasted. Reconciles that only read caches are continued by promises
 * alone: a queue full of them would let no socket and no timer in between, not even the one that renews a lease.
 */
export class LoopTurn {
  readonly #clock: Clock;
  #sinceMs: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** What to await before the next piece of work, if it is time to let others in. */
  pause(): Promise<void> | undefined {
    const nowMs = this.#clock.monotonic();
    if (this.#sinceMs === undefined) {
      this.#sinceMs = nowMs;
      // seam: tells turns of the loop apart; no time is waited for.
      setImmediate(() => {
        this.#sinceMs = undefined;
      });
      return undefined;
    }
    if (nowMs - this.#sinceMs < turnMs) return undefined;
    // seam: lets sockets and timers in between; no time is waited for.
    return new Promise((resolve) => setImmediate(resolve));
  }
}
