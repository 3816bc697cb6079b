import { setImmediate } from 'node:timers/promises'; // seam: see its use
import type { Clock } from '@kubewright/apimachinery';

/** Maximum time that ingest may block the event loop, in milliseconds. */
const sliceMs = 5;

/**
 * Yields to the event loop when ingest has worked for too long. Only working time counts, as the injected clock
 * measures it; with a clock that stops while code runs, the slice never yields. The yield is a turn of the loop, not a
 * delay.
 */
export class TimeSlice {
  readonly #clock: Clock;
  #workedMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Runs a piece of work, then yields if the slice is used up. */
  async work(piece: () => void): Promise<void> {
    const startMs = this.#clock.monotonic();
    piece();
    this.#workedMs += this.#clock.monotonic() - startMs;
    if (this.#workedMs < sliceMs) return;
    // seam: yields to sockets and timers; adds no delay.
    await setImmediate();
    this.#workedMs = 0;
  }
}
