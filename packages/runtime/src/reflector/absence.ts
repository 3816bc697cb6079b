import type { Clock } from '@kubewright/apimachinery';

/** Discovery is asked again after this time, in milliseconds: also the time between two answers that must agree. */
const askAgainMs = 5_000;

/** Options of an {@link Absence}. */
export interface AbsenceOptions {
  readonly clock: Clock;
  /** Whether discovery says that the kind is not served; false where it says nothing. Without it nothing is ever absent. */
  readonly isAbsent: ((signal: AbortSignal) => Promise<boolean>) | undefined;
}

/**
 * Tells a kind that is gone from a listing that is answered with 404 for another reason: a proxy without a route, a server
 * that is starting. Once something was listed, discovery has to say it twice, some seconds apart, before it counts.
 */
export class Absence {
  readonly #options: AbsenceOptions;
  #askedMs = Number.NEGATIVE_INFINITY;
  #answers = 0;
  #isSure = false;

  constructor(options: AbsenceOptions) {
    this.#options = options;
  }

  get isSure(): boolean {
    return this.#isSure;
  }

  /** Tells that a listing was answered with 404. */
  async notFound(options: { readonly wasListed: boolean; readonly signal: AbortSignal }): Promise<void> {
    const { clock, isAbsent } = this.#options;
    if (this.#isSure || !isAbsent || clock.monotonic() - this.#askedMs < askAgainMs) return;
    const absent = await isAbsent(options.signal);
    // From the answer on: a slow answer and the next one are not to say the same moment.
    this.#askedMs = clock.monotonic();
    this.#answers = absent ? this.#answers + 1 : 0;
    this.#isSure = this.#answers >= (options.wasListed ? 2 : 1);
  }

  /** Tells that the kind was listed, or shown by a watch. */
  served(): void {
    this.#answers = 0;
    this.#isSure = false;
  }
}
