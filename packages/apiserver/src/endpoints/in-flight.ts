/** Limits of {@link InFlight}. */
import { tooManyRequests } from '../http/failures.ts';
export interface InFlightLimits {
  /** Concurrent read requests. */
  readonly maxReading: number;
  /** Concurrent write requests. */
  readonly maxWriting: number;
  /** Slots of each kind beyond those limits, available to privileged callers only. */
  readonly reserved: number;
  /** The fraction of each limit that one user may hold, between 0 and 1. */
  readonly userShare: number;
}

/** A request for a slot. */
export interface SlotRequest {
  readonly writes: boolean;
  readonly username: string;
  /** True for callers that must always be served: administrators and the cluster's own components. */
  readonly privileged: boolean;
}

/**
 * Limits how many requests are processed at a time, reads and writes separately, so that neither starves the other. One user
 * never holds more than a share, and privileged callers have reserved slots, so no client locks out others. Streams are not
 * counted: they are cheap while idle, and limited by the watch hub.
 */
export class InFlight {
  readonly #reading: Slots;
  readonly #writing: Slots;

  constructor(limits: InFlightLimits) {
    const { maxReading, maxWriting, reserved, userShare } = limits;
    this.#reading = new Slots(maxReading, { reserved, userShare });
    this.#writing = new Slots(maxWriting, { reserved, userShare });
  }

  /**
   * Admits a request.
   *
   * @throws StatusError 429 when there are too many requests; do not call {@link leave} then
   */
  enter(request: SlotRequest): void {
    if ((request.writes ? this.#writing : this.#reading).take(request)) return;
    throw tooManyRequests('Too many requests, please try again later.', 1);
  }

  leave(request: SlotRequest): void {
    (request.writes ? this.#writing : this.#reading).release(request);
  }
}

/** The slots for one kind of request. */
class Slots {
  readonly #max: number;
  readonly #maxOfUser: number;
  readonly #reserved: number;
  readonly #users = new Map<string, number>();
  #taken = 0;

  constructor(max: number, { reserved, userShare }: { readonly reserved: number; readonly userShare: number }) {
    this.#max = max;
    this.#reserved = reserved;
    this.#maxOfUser = Math.max(1, Math.floor(max * userShare));
  }

  take({ username, privileged }: SlotRequest): boolean {
    if (privileged) {
      if (this.#taken >= this.#max + this.#reserved) return false;
    } else {
      const own = this.#users.get(username) ?? 0;
      if (this.#taken >= this.#max || own >= this.#maxOfUser) return false;
      this.#users.set(username, own + 1);
    }
    this.#taken++;
    return true;
  }

  release({ username, privileged }: SlotRequest): void {
    this.#taken--;
    if (privileged) return;
    const own = (this.#users.get(username) ?? 1) - 1;
    if (own === 0) this.#users.delete(username);
    else this.#users.set(username, own);
  }
}
