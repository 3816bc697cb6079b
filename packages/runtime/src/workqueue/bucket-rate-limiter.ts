import { type Clock, systemClock } from '@kubewright/apimachinery';
import type { RateLimiter } from './rate-limiter.ts';

/** Options for {@link bucketRateLimiter}. */
export interface BucketOptions {
  /** Retries per second over time, for all keys together. @defaultValue 10 */
  readonly qps?: number;
  /** Retries allowed in a burst after a pause. @defaultValue 100 */
  readonly burst?: number;
  /** @defaultValue the system's */
  readonly clock?: Clock;
}

/**
 * Limits the retries of all keys together with a token bucket: a key waits for the next free token. The bucket does not
 * count the failures of a key, so combine it with {@link exponentialRateLimiter} in a {@link maxOfRateLimiter}. Mirrors
 * client-go's `BucketRateLimiter` with the settings of `DefaultTypedControllerRateLimiter`.
 *
 * @example
 * ```ts
 * rateLimiter: maxOfRateLimiter(exponentialRateLimiter(), bucketRateLimiter({ qps: 10, burst: 100 }))
 * ```
 * @throws RangeError unless `qps` is positive and `burst` at least 1.
 */
export function bucketRateLimiter(options: BucketOptions = {}): RateLimiter {
  const { qps = 10, burst = 100, clock = systemClock } = options;
  if (!(qps > 0) || !(burst >= 1)) throw new RangeError('bucketRateLimiter: qps must be > 0 and burst at least 1');
  const intervalMs = 1_000 / qps;
  // The time of the last token taken; up to `burst` intervals in the past if the bucket is full.
  let takenMs = Number.NEGATIVE_INFINITY;
  return {
    when() {
      const now = clock.monotonic();
      takenMs = Math.max(takenMs, now - intervalMs * burst) + intervalMs;
      return Math.max(takenMs - now, 0);
    },
    forget() {},
    failures: () => 0,
  };
}

/**
 * Combines rate limiters: a key waits for the longest of their delays. Mirrors client-go's `MaxOfRateLimiter`.
 *
 * @example
 * ```ts
 * const upstreamsDefault = maxOfRateLimiter(exponentialRateLimiter(), bucketRateLimiter());
 * ```
 */
export function maxOfRateLimiter(...limiters: readonly RateLimiter[]): RateLimiter {
  return {
    when: (key) => Math.max(0, ...limiters.map((each) => each.when(key))),
    forget: (key) => {
      for (const each of limiters) each.forget(key);
    },
    failures: (key) => Math.max(0, ...limiters.map((each) => each.failures(key))),
  };
}
