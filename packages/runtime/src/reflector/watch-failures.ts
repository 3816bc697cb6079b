import { type Clock, StatusError } from '@kubewright/apimachinery';
import { wasNotAttempted } from './failures.ts';
import type { WatchEnd } from './watch-once.ts';

/**
 * Number of consecutive failed watches after which the reflector lists. client-go lists after the first failure.
 * However, a single 503 from a load balancer during a server rollout hits all watches at the same time, which does not
 * justify relisting everything. A watch that fails twice at the same version may keep failing while lists work: an
 * event that the server cannot send, a proxy that rejects watches.
 */
const maxInRow = 2;
/** Duration of a watch, in milliseconds, after which a lost connection does not count as a failed watch. */
const lastedMs = 1_000;

/** Counts consecutive failed watches, to decide when to list instead. */
export class WatchFailures {
  readonly #clock: Clock;
  #inRow = 0;
  #openedMs: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** True if another watch is unlikely to succeed. */
  get areTooMany(): boolean {
    return this.#inRow >= maxInRow;
  }

  /** True if the server responded to the current watch. */
  get wasOpened(): boolean {
    return this.#openedMs !== undefined;
  }

  /** Records that a watch is requested. */
  began(): void {
    this.#openedMs = undefined;
  }

  /** Records that the server responded. */
  opened(): void {
    this.#openedMs = this.#clock.monotonic();
  }

  /** Records that the watch delivered a new version. */
  progressed(): void {
    this.#inRow = 0;
  }

  /** Records that the watch ended without an error. */
  ended({ hadNoResponse, suspicious }: WatchEnd): void {
    // The watch has already waited for the silence timeout, so do not try another watch.
    if (hadNoResponse) this.#inRow = maxInRow;
    else this.#inRow = suspicious ? this.#inRow + 1 : 0;
  }

  /**
   * Records that the watch failed. Counts a 5xx, including one in an ERROR event, and a missing response. Does not
   * count a connection lost after a while, an error that leads to an immediate list, or a failure that affects lists
   * too.
   */
  failed(error: unknown): void {
    if (wasNotAttempted(error) || (error instanceof StatusError && error.httpStatus < 500)) return;
    const lasted = this.#openedMs !== undefined && this.#clock.monotonic() - this.#openedMs >= lastedMs;
    this.#inRow = lasted && !(error instanceof StatusError) ? 0 : this.#inRow + 1;
  }
}
