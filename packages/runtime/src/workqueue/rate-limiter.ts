/** Says how long a failing key waits before its next try. */
export interface RateLimiter {
  /** Counts a failure of `key` and gives the time to wait, in milliseconds. */
  when(key: string): number;
  /** Forgets the failures of `key`. */
  forget(key: string): void;
  /** Failures of `key` since it was last forgotten. */
  failures(key: string): number;
}

/** Options of {@link exponentialRateLimiter}. */
export interface ExponentialOptions {
  /** Wait after the first failure, in milliseconds. @defaultValue 5 */
  readonly baseMs?: number;
  /** Longest wait, in milliseconds. @defaultValue 1_000_000 */
  readonly maxMs?: number;
}

/** Doubles a key's wait with each failure. Mirrors client-go's `ItemExponentialFailureRateLimiter`. */
export function exponentialRateLimiter(options: ExponentialOptions = {}): RateLimiter {
  const { baseMs = 5, maxMs = 1_000_000 } = options;
  const failures = new Map<string, number>();
  return {
    when(key) {
      const count = failures.get(key) ?? 0;
      failures.set(key, count + 1);
      // Past that power it is infinite, and no time at all doubled for ever would not be a number.
      return Math.min(baseMs * 2 ** Math.min(count, 1023), maxMs);
    },
    forget: (key) => void failures.delete(key),
    failures: (key) => failures.get(key) ?? 0,
  };
}
