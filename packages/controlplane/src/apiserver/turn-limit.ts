import type { Clock } from '@kubewright/apimachinery';
import { nextTurn } from './next-turn.ts';

/** How long requests may hold the event loop together, in milliseconds. */
const TURN_MS = 10;

/**
 * Limits how long requests hold the event loop. A caller in the same process that sends request after request is continued
 * by promises alone: sockets and timers would wait until its last one.
 */
export class TurnLimit {
  readonly #clock: Clock;
  #since: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** What to await before the next request, if the present turn of the event loop has lasted long enough. */
  pause(): Promise<void> | undefined {
    const now = this.#clock.monotonic();
    if (this.#since === undefined) {
      this.#since = now;
      void nextTurn().then(() => {
        this.#since = undefined;
      });
      return undefined;
    }
    return now - this.#since < TURN_MS ? undefined : nextTurn();
  }
}
