import { setImmediate } from 'node:timers/promises'; // seam: see its use
import type { Clock } from '@kubewright/apimachinery';

/** How long ingest may hold the event loop at a stretch, in milliseconds. */
const sliceMs = 5;

/**
 * Lets the event loop run when ingest has worked for too long. Only work counts, by the injected clock: under a clock that
 * stands still while code runs it never waits. The wait itself is a turn of the loop, not a time.
 */
export class TimeSlice {
  readonly #clock: Clock;
  #workedMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Does a piece of work, then yields if it is time to. */
  async work(piece: () => void): Promise<void> {
    const startMs = this.#clock.monotonic();
    piece();
    this.#workedMs += this.#clock.monotonic() - startMs;
    if (this.#workedMs < sliceMs) return;
    // seam: lets sockets and timers in between; no time is waited for.
    await setImmediate();
    this.#workedMs = 0;
  }
}
