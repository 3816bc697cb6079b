import type { Clock } from '@kubewright/apimachinery';

/** One moment by both clocks, in milliseconds. */
export interface Moment {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

/** Reads both clocks. */
export function momentOf(clock: Clock): Moment {
  return { monotonicMs: clock.monotonic(), wallMs: clock.now() };
}

/** What a {@link Tenure} is made from. */
export interface TenureOptions {
  readonly clock: Clock;
  /** How long one renewal may be relied on, in milliseconds, from the moment its request was begun. */
  readonly renewMs: number;
  /** How far the clocks may drift apart between two renewals, in milliseconds. */
  readonly driftMs: number;
  /** When the request that won it was begun. */
  readonly since: Moment;
}

/**
 * One unbroken time of holding something that others may take once it was not renewed: a term of leadership, a membership.
 *
 * It is over as soon as either clock has passed the deadline, or the two drift apart: a process that was stopped, or a
 * machine that was asleep, finds out by asking, before any of its timers has fired. Over is for good, so that work of an
 * earlier term can never go on under a later one.
 */
export class Tenure {
  readonly #options: TenureOptions;
  #renewed: Moment;
  #over = false;

  constructor(options: TenureOptions) {
    this.#options = options;
    this.#renewed = options.since;
  }

  /** True while nobody else can have taken it. */
  get isValid(): boolean {
    if (this.#over) return false;
    const { clock, renewMs, driftMs } = this.#options;
    const monotonicMs = clock.monotonic() - this.#renewed.monotonicMs;
    const wallMs = clock.now() - this.#renewed.wallMs;
    const holds = monotonicMs < renewMs && wallMs < renewMs && Math.abs(wallMs - monotonicMs) <= driftMs;
    if (!holds) this.#over = true;
    return holds;
  }

  /** Time until it is over by the monotonic clock, in milliseconds; 0 when it is. */
  get remainingMs(): number {
    if (!this.isValid) return 0;
    return this.#renewed.monotonicMs + this.#options.renewMs - this.#options.clock.monotonic();
  }

  /**
   * Takes note of a renewal that was begun at `since` and has succeeded. A renewal that was answered too late renews
   * nothing: what is over stays so.
   */
  renew(since: Moment): void {
    if (this.isValid) this.#renewed = since;
  }

  /** Ends it early. */
  end(): void {
    this.#over = true;
  }
}
