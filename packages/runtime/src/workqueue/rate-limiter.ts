import { exponentialDelay } from '@kubewright/apimachinery/internal';
/**
 * Determines how long a failing key waits before it is retried.
 *
 * @example
 * ```ts
 * const fixed: RateLimiter = { when: () => 1_000, forget: () => {}, failures: () => 0 };
 * ```
 */
export interface RateLimiter {
  /** Counts a failure of `key` and returns the delay in milliseconds. */
  when(key: string): number;
  /** Forgets the failures of `key`. */
  forget(key: string): void;
  /** Returns the number of failures of `key` since it was last forgotten. */
  failures(key: string): number;
}

/** Options for {@link exponentialRateLimiter}. */
export interface ExponentialOptions {
  /** Delay after the first failure, in milliseconds. @defaultValue 5 */
  readonly baseMs?: number;
  /** Maximum delay, in milliseconds. @defaultValue 1_000_000 */
  readonly maxMs?: number;
}

/** Doubles a key's delay with each failure. Mirrors client-go's `ItemExponentialFailureRateLimiter`. */
export function exponentialRateLimiter(options: ExponentialOptions = {}): RateLimiter {
  const { baseMs = 5, maxMs = 1_000_000 } = options;
  const failures = new Map<string, number>();
  return {
    when(key) {
      const count = failures.get(key) ?? 0;
      failures.set(key, count + 1);
      return exponentialDelay(count, { initialMs: baseMs, maxMs });
    },
    forget: (key) => void failures.delete(key),
    failures: (key) => failures.get(key) ?? 0,
  };
}
