import type { Clock } from '@kubewright/apimachinery';
import { nextTurn } from '../next-turn.ts';

/** Maximum time that work on many objects may hold the event loop, in milliseconds. */
const turnMs = 10;
/** Number of objects processed between two reads of the clock. */
const stride = 16;

/** Splits long work into turns: `if (pacer.isDue) await pacer.rest()` after each object lets other requests run in between. */
export class Pacer {
  readonly #clock: Clock;
  #since: number;
  #steps = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#since = clock.monotonic();
  }

  /** True if it is time to yield. */
  get isDue(): boolean {
    this.#steps++;
    return this.#steps % stride === 0 && this.#clock.monotonic() - this.#since >= turnMs;
  }

  /** Yields to other work. */
  async rest(): Promise<void> {
    await nextTurn();
    this.#since = this.#clock.monotonic();
  }
}
