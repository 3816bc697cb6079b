import type { Clock, Timer } from '@kubewright/apimachinery';

/** Maximum wait, in milliseconds: the same as in upstream's watch cache. */
const longestMs = 3_000;

interface Waiter {
  readonly revision: number;
  readonly timer: Timer;
  readonly resolve: () => void;
}

/** Lets callers wait until a revision is reached, for at most three seconds. */
export class RevisionWaiters implements Disposable {
  readonly #clock: Clock;
  readonly #waiters = new Set<Waiter>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves once {@link advance} is called with this revision or a later one, after three seconds, or on disposal. */
  wait(revision: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#clock.setTimer(longestMs, () => this.#release(waiter), { unref: true });
      const waiter = { revision, timer, resolve };
      this.#waiters.add(waiter);
    });
  }

  advance(reached: number): void {
    for (const waiter of this.#waiters) if (waiter.revision <= reached) this.#release(waiter);
  }

  [Symbol.dispose](): void {
    this.advance(Number.POSITIVE_INFINITY);
  }

  #release(waiter: Waiter): void {
    this.#waiters.delete(waiter);
    waiter.timer[Symbol.dispose]();
    waiter.resolve();
  }
}
