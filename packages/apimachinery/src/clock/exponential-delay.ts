/** Bounds of a delay that doubles, in milliseconds. */
export interface DelayLimits {
  readonly initialMs: number;
  readonly maxMs: number;
}

/** Returns the delay before the next attempt, in milliseconds: `initialMs`, doubled `failures` times, at most `maxMs`. */
export function exponentialDelay(failures: number, { initialMs, maxMs }: DelayLimits): number {
  // Caps the exponent: a larger power of two is Infinity, and an initial delay of 0 times Infinity is NaN.
  return Math.min(initialMs * 2 ** Math.min(failures, 1023), maxMs);
}
