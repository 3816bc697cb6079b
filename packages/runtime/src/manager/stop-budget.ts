import type { Clock } from '@kubewright/apimachinery';

/** After how long people are told what a stop waits for, in milliseconds. */
const silentMs = 2_000;

/** What is waited for. */
export interface AwaitedWork {
  /** Names what has not ended. */
  readonly names: () => readonly string[];
  /** Called when it takes a while. */
  readonly lasts: () => void;
}

/** The time that a stop may take in all, and who was left behind when it was over. */
export class StopBudget {
  readonly #clock: Clock;
  readonly #untilMs: number;
  readonly #late: string[] = [];
  /** What a person may do who does not want to wait. */
  readonly endsAtOnce: string | undefined;

  /** @param options.totalMs - 0 waits for nobody, a negative number for ever. */
  constructor(
    clock: Clock,
    { totalMs, endsAtOnce }: { readonly totalMs: number; readonly endsAtOnce: string | undefined },
  ) {
    this.#clock = clock;
    this.endsAtOnce = endsAtOnce;
    this.#untilMs = totalMs < 0 ? Number.POSITIVE_INFINITY : clock.monotonic() + totalMs;
  }

  /** Milliseconds that are left; never negative. */
  get leftMs(): number {
    return Math.max(0, this.#untilMs - this.#clock.monotonic());
  }

  /** What did not end in time. */
  get late(): readonly string[] {
    return this.#late;
  }

  /** Waits for work to end, as long as there is time; false, and `names` noted, when there was too little. */
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

function timeOver(clock: Clock, ms: number): { readonly promise: Promise<'over'>; readonly timer?: Disposable } {
  if (ms === Number.POSITIVE_INFINITY) return { promise: new Promise(() => {}) };
  let timer: Disposable | undefined;
  const promise = new Promise<'over'>((resolve) => {
    timer = clock.setTimer(ms, () => resolve('over'));
  });
  return { promise, ...(timer && { timer }) };
}
