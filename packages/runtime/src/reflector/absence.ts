import type { Clock } from '@kubewright/apimachinery';

/** Minimum interval between discovery requests, in milliseconds; also the time between two results that must agree. */
const recheckMs = 5_000;

export interface AbsenceOptions {
  readonly clock: Clock;
  /**
   * Reports whether discovery shows that the kind is not served; false if discovery is inconclusive. Without this
   * function, no kind is ever absent.
   */
  readonly isAbsent: ((signal: AbortSignal) => Promise<boolean>) | undefined;
}

/**
 * Distinguishes a removed kind from a list that returns 404 for another reason: a proxy without a route, a server that
 * is starting. Once an object has been listed, discovery must confirm the absence twice, some seconds apart.
 */
export class Absence {
  readonly #options: AbsenceOptions;
  #checkedMs = Number.NEGATIVE_INFINITY;
  #confirmations = 0;
  #isSure = false;

  constructor(options: AbsenceOptions) {
    this.#options = options;
  }

  get isSure(): boolean {
    return this.#isSure;
  }

  /** Records that a list returned 404. */
  async notFound(options: { readonly wasListed: boolean; readonly signal: AbortSignal }): Promise<void> {
    const { clock, isAbsent } = this.#options;
    if (this.#isSure || !isAbsent || clock.monotonic() - this.#checkedMs < recheckMs) return;
    const absent = await isAbsent(options.signal);
    // Count from the response, so that a slow response and the next response do not describe the same moment.
    this.#checkedMs = clock.monotonic();
    this.#confirmations = absent ? this.#confirmations + 1 : 0;
    this.#isSure = this.#confirmations >= (options.wasListed ? 2 : 1);
  }

  /** Records that the kind was listed, or received from a watch. */
  served(): void {
    this.#confirmations = 0;
    this.#isSure = false;
  }
}
