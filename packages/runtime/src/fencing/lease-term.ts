import type { Clock } from '@kubewright/apimachinery';

/** A point in time on the wall clock and the monotonic clock, in milliseconds. */
export interface Instant {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

/** Reads both clocks. */
export function instantOf(clock: Clock): Instant {
  return { monotonicMs: clock.monotonic(), wallMs: clock.now() };
}

export interface LeaseTermOptions {
  readonly clock: Clock;
  /** Validity of one renewal, in milliseconds, counted from the start of its request. */
  readonly renewMs: number;
  /** Maximum drift between the two clocks from one renewal to the next, in milliseconds. */
  readonly driftMs: number;
  /** The start of the request that acquired the term. */
  readonly since: Instant;
}

/**
 * An uninterrupted term, such as a term of leadership or of membership. If it is not renewed, another process can take
 * over.
 *
 * A term ends as soon as either clock passes the deadline, or the two clocks drift apart. A process that was stopped,
 * or a machine that was asleep, therefore notices the end on its first check, before any of its timers has fired. The
 * end is final, so work of an earlier term can never continue in a later term.
 */
export class LeaseTerm {
  readonly #options: LeaseTermOptions;
  #renewed: Instant;
  #over = false;

  constructor(options: LeaseTermOptions) {
    this.#options = options;
    this.#renewed = options.since;
  }

  /** True while no other process can have taken over. */
  get isValid(): boolean {
    if (this.#over) return false;
    const { clock, renewMs, driftMs } = this.#options;
    const monotonicMs = clock.monotonic() - this.#renewed.monotonicMs;
    const wallMs = clock.now() - this.#renewed.wallMs;
    const holds = monotonicMs < renewMs && wallMs < renewMs && Math.abs(wallMs - monotonicMs) <= driftMs;
    if (!holds) this.#over = true;
    return holds;
  }

  /** Time until the term ends by the monotonic clock, in milliseconds; 0 if it has ended. */
  get remainingMs(): number {
    if (!this.isValid) return 0;
    return this.#renewed.monotonicMs + this.#options.renewMs - this.#options.clock.monotonic();
  }

  /**
   * Records a successful renewal that was started at `since`. A renewal has no effect if its response arrived too late:
   * an expired term stays expired.
   */
  renew(since: Instant): void {
    if (this.isValid) this.#renewed = since;
  }

  /** Ends it early. */
  end(): void {
    this.#over = true;
  }
}
