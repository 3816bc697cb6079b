import type { Clock } from '@kubewright/apimachinery';

/** One moment by which several parts have to have ended, however many they are and whichever of them hangs. */
export class Deadline {
  readonly #clock: Clock;
  readonly #endMs: number;

  /** @param withinMs - milliseconds from now. */
  constructor(clock: Clock, withinMs: number) {
    this.#clock = clock;
    this.#endMs = clock.monotonic() + withinMs;
  }

  /** Milliseconds that are left; never negative. */
  get leftMs(): number {
    return Math.max(this.#endMs - this.#clock.monotonic(), 0);
  }

  /**
   * Waits for work, but not past the deadline; answers whether it ended in time. What has not is left to itself: its
   * later failure is nobody's any more.
   *
   * @param options - `reserveMs`: how long before the deadline to give up, for what has to follow. @defaultValue 0
   * @throws what the work throws in time.
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
