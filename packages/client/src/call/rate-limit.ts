import { type Clock, sleep } from '@kubewright/apimachinery';

/** Options for the client-side rate limit. */
export interface RateLimitOptions {
  /** Sustained requests per second. */
  readonly qps: number;
  /** Maximum number of requests in a burst after an idle period. */
  readonly burst: number;
}

/** A token bucket that serves callers in FIFO order. */
export class RateLimit {
  readonly #clock: Clock;
  readonly #intervalMs: number;
  readonly #burst: number;
  /** Time at which the last token was, or will be, issued; at most `burst` intervals in the past. */
  #nextFree: number;

  constructor(options: RateLimitOptions & { readonly clock: Clock }) {
    if (!(options.qps > 0) || !(options.burst >= 1))
      throw new RangeError('invalid rate limit: qps must be greater than 0 and burst at least 1');
    this.#clock = options.clock;
    this.#intervalMs = 1000 / options.qps;
    this.#burst = options.burst;
    this.#nextFree = options.clock.monotonic() - this.#intervalMs * options.burst;
  }

  /** Waits for a token. A call that is aborted while waiting still consumes its token. */
  async take(signal?: AbortSignal): Promise<void> {
    const now = this.#clock.monotonic();
    const earliest = Math.max(this.#nextFree, now - this.#intervalMs * this.#burst) + this.#intervalMs;
    this.#nextFree = earliest;
    if (earliest > now) await sleep(this.#clock, { ms: earliest - now, signal });
  }
}
