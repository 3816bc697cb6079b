import { type Clock, StatusError } from '@kubewright/apimachinery';
import { saysNothingOfWatches } from './failures.ts';
import type { WatchEnd } from './watch-once.ts';

/**
 * So many watches that fail in a row are followed by a listing. client-go lists after the first; but one 503 of a balancer
 * whose servers are exchanged reaches all watches at once, and is no reason to fetch everything. What fails twice at the same
 * version may do so for good, while lists work: an event that the server cannot send, a proxy that refuses watches.
 */
const mostInRow = 2;
/** A connection that was lost after this time says nothing against watches, in milliseconds. */
const lastedMs = 1_000;

/** Counts the watches that failed since one last worked, to know when to list instead. */
export class WatchFailures {
  readonly #clock: Clock;
  #inRow = 0;
  #openedMs: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** True if another watch is not to be expected to do better. */
  get areTooMany(): boolean {
    return this.#inRow >= mostInRow;
  }

  /** True if the present watch was answered. */
  get wasOpened(): boolean {
    return this.#openedMs !== undefined;
  }

  /** Tells that a watch is asked for. */
  began(): void {
    this.#openedMs = undefined;
  }

  /** Tells that it was answered. */
  opened(): void {
    this.#openedMs = this.#clock.monotonic();
  }

  /** Tells that it brought something new. */
  progressed(): void {
    this.#inRow = 0;
  }

  /** Tells that it ended without an error. */
  ended({ isUnanswered, suspicious }: WatchEnd): void {
    // Its silence was waited for already.
    if (isUnanswered) this.#inRow = mostInRow;
    else this.#inRow = suspicious ? this.#inRow + 1 : 0;
  }

  /**
   * Tells that it failed: 5xx, also as an ERROR event, and no answer count. A connection that was lost after a while does not,
   * nor what is listed for at once, nor what keeps lists from being answered, too.
   */
  failed(error: unknown): void {
    if (saysNothingOfWatches(error) || (error instanceof StatusError && error.httpStatus < 500)) return;
    const lasted = this.#openedMs !== undefined && this.#clock.monotonic() - this.#openedMs >= lastedMs;
    this.#inRow = lasted && !(error instanceof StatusError) ? 0 : this.#inRow + 1;
  }
}
