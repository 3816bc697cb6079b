import type { Clock } from '@kubewright/apimachinery';

/** Time after which the log reports what a stop is waiting for, in milliseconds. */
const silentMs = 2_000;

/** Work that a stop waits for. */
export interface AwaitedWork {
  /** Returns the names of the work that has not ended. */
  readonly names: () => readonly string[];
  /** Called if the wait takes longer than two seconds. */
  readonly lasts: () => void;
}

/** The time limit for a complete stop, and a record of the work still running when the limit expired. */
export class StopBudget {
  readonly #clock: Clock;
  readonly #untilMs: number;
  readonly #late: string[] = [];
  /** Explains in messages how a user can end the program without waiting. */
  readonly endsAtOnce: string | undefined;

  /** @param options.totalMs - 0 does not wait, a negative number waits forever. */
  constructor(
    clock: Clock,
    { totalMs, endsAtOnce }: { readonly totalMs: number; readonly endsAtOnce: string | undefined },
  ) {
    this.#clock = clock;
    this.endsAtOnce = endsAtOnce;
    this.#untilMs = totalMs < 0 ? Number.POSITIVE_INFINITY : clock.monotonic() + totalMs;
  }

  /** Remaining milliseconds; never negative. */
  get leftMs(): number {
    return Math.max(0, this.#untilMs - this.#clock.monotonic());
  }

  /** Names of the work that did not end in time. */
  get late(): readonly string[] {
    return this.#late;
  }

  /** Waits for work to end while time remains; returns false, and records `names`, if time runs out. */
  async wait(work: Promise<unknown>, { names, lasts }: AwaitedWork): Promise<boolean> {
    const { leftMs } = this;
    using _lasts = this.#clock.setTimer(silentMs, lasts);
    const { promise: over, timer } = timeOver(this.#clock, leftMs);
    try {
      if ((await Promise.race([work.then(() => 'ended'), over])) === 'ended') return true;
    } finally {
      timer?.[Symbol.dispose]();
    }
    this.#late.push(...names());
    return false;
  }
}

function timeOver(
  clock: Clock,
  ms: number,
): { readonly promise: Promise<'over'>; readonly timer?: Disposable | undefined } {
  if (ms === Number.POSITIVE_INFINITY) return { promise: new Promise(() => {}) };
  let timer: Disposable | undefined;
  const promise = new Promise<'over'>((resolve) => {
    timer = clock.setTimer(ms, () => resolve('over'));
  });
  return { promise, timer };
}
