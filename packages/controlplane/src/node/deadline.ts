import type { Clock } from '@kubewright/apimachinery';

/** A deadline shared by a sequence of steps. Waiting ends at the deadline even if a step hangs. */
export class Deadline {
  readonly #clock: Clock;
  readonly #endMs: number;

  /** @param withinMs - milliseconds from now. */
  constructor(clock: Clock, withinMs: number) {
    this.#clock = clock;
    this.#endMs = clock.monotonic() + withinMs;
  }

  /** Remaining milliseconds; never negative. */
  get leftMs(): number {
    return Math.max(this.#endMs - this.#clock.monotonic(), 0);
  }

  /**
   * Waits for `work`, but not past the deadline, and returns whether it finished in time. Later errors of unfinished work are
   * ignored.
   *
   * @param options - `reserveMs`: how long before the deadline to stop waiting, to leave time for later steps. @defaultValue 0
   * @throws the work's error if it fails in time.
   */
  async meets(work: Promise<unknown>, options: { readonly reserveMs?: number } = {}): Promise<boolean> {
    let giveUp: () => void = () => {};
    const late = new Promise<false>((resolve) => {
      giveUp = () => resolve(false);
    });
    const timer = this.#clock.setTimer(this.leftMs - (options.reserveMs ?? 0), giveUp);
    try {
      return await Promise.race([work.then(() => true), late]);
    } finally {
      timer[Symbol.dispose]();
    }
  }
}
