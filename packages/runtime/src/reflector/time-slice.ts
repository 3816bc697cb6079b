import { setImmediate } from 'node:timers/promises';
import type { Clock } from '@kubewright/apimachinery';

/** How long ingest may hold the event loop at a stretch, in milliseconds. */
const sliceMs = 8;

/**
 * Lets the event loop run when a stretch of work has become too long. It measures by the injected clock, so that under a
 * clock that stands still it never waits; the wait itself is a turn of the loop, not a time.
 */
export class TimeSlice {
  readonly #clock: Clock;
  #startMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startMs = clock.monotonic();
  }

  /** True when it is time to yield. */
  get over(): boolean {
    return this.#clock.monotonic() - this.#startMs >= sliceMs;
  }

  /** Begins a new stretch: the loop has just run. */
  restart(): void {
    this.#startMs = this.#clock.monotonic();
  }

  async yield(): Promise<void> {
    await setImmediate();
    this.restart();
  }
}
