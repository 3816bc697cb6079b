import type { Clock, Random } from '@kubewright/apimachinery';
import { exponentialDelay } from '@kubewright/apimachinery/internal';

export interface BackoffOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** @defaultValue 800 */
  readonly baseMs?: number;
  /** @defaultValue 30_000 */
  readonly maxMs?: number;
  /** Length of a healthy period that resets the delay to the base, in milliseconds. @defaultValue 120_000 */
  readonly resetMs?: number;
}

/** Increases the delay between attempts: doubles it, adds up to 100 percent jitter, and resets it after a healthy period. */
export class Backoff {
  readonly #options: Required<BackoffOptions>;
  #failures = 0;
  #lastMs: number;

  constructor(options: BackoffOptions) {
    this.#options = { baseMs: 800, maxMs: 30_000, resetMs: 120_000, ...options };
    this.#lastMs = options.clock.monotonic();
  }

  /** Returns the delay before the next attempt, in milliseconds. */
  next(): number {
    const { clock, random, baseMs, maxMs, resetMs } = this.#options;
    const now = clock.monotonic();
    if (now - this.#lastMs > resetMs) this.#failures = 0;
    this.#lastMs = now;
    const delay = exponentialDelay(this.#failures++, { initialMs: baseMs, maxMs });
    return Math.min(delay + random.next() * delay, maxMs);
  }
}
