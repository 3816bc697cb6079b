import { type Clock, sleep } from '@kubewright/apimachinery';

/** Options of the client's own rate limit. */
export interface RateLimitOptions {
  /** Requests per second in the long run. */
  readonly qps: number;
  /** Requests that may go out at once after a pause. */
  readonly burst: number;
}

/** A bucket of tokens that hands out turns in order of asking. */
export class RateLimit {
  readonly #clock: Clock;
  readonly #intervalMs: number;
  readonly #burst: number;
  /** When the next token is earned, if the bucket were empty; may lie up to `burst` intervals in the past. */
  #nextFree: number;

  constructor(options: RateLimitOptions & { readonly clock: Clock }) {
    if (!(options.qps > 0) || !(options.burst >= 1)) throw new RangeError('rate limit: qps must be > 0 and burst ≥ 1');
    this.#clock = options.clock;
    this.#intervalMs = 1000 / options.qps;
    this.#burst = options.burst;
    this.#nextFree = options.clock.monotonic() - this.#intervalMs * options.burst;
  }

  /** Waits for a turn. A call that is aborted while waiting has used its turn up. */
  async take(signal?: AbortSignal): Promise<void> {
    const now = this.#clock.monotonic();
    const earliest = Math.max(this.#nextFree, now - this.#intervalMs * this.#burst) + this.#intervalMs;
    this.#nextFree = earliest;
    if (earliest > now) await sleep(this.#clock, { ms: earliest - now, signal });
  }
}
