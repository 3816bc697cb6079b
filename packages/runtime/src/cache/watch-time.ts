import type { Clock } from '@kubewright/apimachinery';

/**
 * Measures the time during which a watch was open. While no watch is open, nothing expires, because the server cannot
 * show changes.
 */
export class WatchTime {
  readonly #clock: Clock;
  /** Total time during which a watch was open, excluding the current watch. */
  #watchedMs = 0;
  #openedMs: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Records that a watch has opened or ended. */
  watching(isOpen: boolean): void {
    this.#watchedMs = this.ms;
    this.#openedMs = isOpen ? this.#clock.monotonic() : undefined;
  }

  /** The total time in milliseconds. */
  get ms(): number {
    return this.#watchedMs + (this.#openedMs === undefined ? 0 : this.#clock.monotonic() - this.#openedMs);
  }
}
