import { type Clock, sleep } from '@kubewright/apimachinery';

/** Sleeps between two checks until something wakes it. */
export class Waker {
  readonly #clock: Clock;
  #wake: (() => void) | undefined;
  #isWoken = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Ends the current sleep, or the next one if none is in progress. */
  wake(): void {
    this.#isWoken = true;
    this.#wake?.();
  }

  /** Called when a check starts: earlier calls of `wake` are answered by this check. */
  reset(): void {
    this.#isWoken = false;
  }

  /** Sleeps for `ms`, or until woken. */
  async sleep(ms: number, signal: AbortSignal): Promise<void> {
    if (ms === 0 || this.#isWoken) return;
    const woken = new AbortController();
    this.#wake = () => woken.abort();
    await sleep(this.#clock, { ms, signal: AbortSignal.any([signal, woken.signal]) }).catch(() => undefined);
    this.#wake = undefined;
  }
}
