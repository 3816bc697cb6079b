import type { Clock, Random } from '@kubewright/apimachinery';

/** Options of a {@link Backoff}. */
export interface BackoffOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** @defaultValue 800 */
  readonly baseMs?: number;
  /** @defaultValue 30_000 */
  readonly maxMs?: number;
  /** Health of this length starts it from the base again. @defaultValue 120_000 */
  readonly resetMs?: number;
}

/** Grows the time between tries of one thing: doubling, with jitter of up to the same again, reset by health. */
export class Backoff {
  readonly #options: Required<BackoffOptions>;
  #delayMs: number;
  #lastMs: number;

  constructor(options: BackoffOptions) {
    this.#options = { baseMs: 800, maxMs: 30_000, resetMs: 120_000, ...options };
    this.#delayMs = this.#options.baseMs;
    this.#lastMs = options.clock.monotonic();
  }

  /** Gives the time to wait before the next try, in milliseconds. */
  next(): number {
    const { clock, random, baseMs, maxMs, resetMs } = this.#options;
    const now = clock.monotonic();
    if (now - this.#lastMs > resetMs) this.#delayMs = baseMs;
    this.#lastMs = now;
    const delay = this.#delayMs;
    this.#delayMs = Math.min(delay * 2, maxMs);
    return Math.min(delay + random.next() * delay, maxMs);
  }
}
