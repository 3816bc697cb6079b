import type { Clock } from '@kubewright/apimachinery';
import { nextTurn } from './next-turn.ts';

/** Maximum time that consecutive requests may hold the event loop, in milliseconds. */
const turnMs = 10;

/**
 * Limits how long requests hold the event loop. A caller in the same process can send request after request without
 * leaving the microtask queue. Without a limit, sockets and timers would wait for the caller's last request.
 */
export class TurnLimit {
  readonly #clock: Clock;
  #since: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns a promise to await before the next request, if the current turn of the event loop has lasted long enough. */
  pause(): Promise<void> | undefined {
    const now = this.#clock.monotonic();
    if (this.#since === undefined) {
      this.#since = now;
      void nextTurn().then(() => {
        this.#since = undefined;
      });
      return undefined;
    }
    return now - this.#since < turnMs ? undefined : nextTurn();
  }
}
