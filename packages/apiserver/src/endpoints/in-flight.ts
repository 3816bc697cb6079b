import { tooManyRequests } from '../http/failures.ts';
import { type SlotHolder, Slots } from './slots.ts';

/** Limits of {@link InFlight}. */
export interface InFlightLimits {
  /** Concurrent read requests. */
  readonly maxReading: number;
  /** Concurrent write requests. */
  readonly maxWriting: number;
  /** Additional slots for reads, and the same number for writes, available to privileged callers only. */
  readonly reserved: number;
  /** The fraction of each limit that one user may hold, between 0 and 1. */
  readonly userShare: number;
}

/** A request for a slot. */
export interface SlotRequest extends SlotHolder {
  readonly writes: boolean;
}

/**
 * Limits how many requests are processed at a time, reads and writes separately, so that neither starves the other. One user
 * never holds more than a share, and privileged callers have reserved slots, so no client locks out others. Streams are
 * counted by {@link StreamSlots}.
 */
export class InFlight {
  readonly #reading: Slots;
  readonly #writing: Slots;

  constructor(limits: InFlightLimits) {
    const { maxReading, maxWriting, reserved, userShare } = limits;
    this.#reading = new Slots(maxReading, { reserved, maxOfUser: maxReading * userShare });
    this.#writing = new Slots(maxWriting, { reserved, maxOfUser: maxWriting * userShare });
  }

  /**
   * Admits a request.
   *
   * @throws StatusError 429 when there are too many requests; in this case, do not call {@link leave}
   */
  enter(request: SlotRequest): void {
    if ((request.writes ? this.#writing : this.#reading).take(request)) return;
    throw tooManyRequests('Too many requests, please try again later.', 1);
  }

  leave(request: SlotRequest): void {
    (request.writes ? this.#writing : this.#reading).release(request);
  }
}
