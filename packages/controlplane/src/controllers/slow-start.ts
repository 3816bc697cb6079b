/** The result of {@link slowStart}. */
export interface SlowStartResult {
  /** The number of successful calls. */
  readonly successes: number;
  /** The first error of the batch that failed; undefined if all calls succeeded. */
  readonly error: unknown;
}

/**
 * Calls `make` `count` times, in batches of 1, 2, 4, 8 … parallel calls, and stops after the first batch with a failure. If the
 * server rejects the requests, for example because of a quota, only a few of them are sent. Mirrors `slowStartBatch`.
 */
export async function slowStart(count: number, make: (index: number) => Promise<void>): Promise<SlowStartResult> {
  let successes = 0;
  for (let batch = 1; successes < count; batch *= 2) {
    const first = successes;
    const size = Math.min(batch, count - first);
    const results = await Promise.allSettled(Array.from({ length: size }, (_, i) => make(first + i)));
    successes += results.filter(({ status }) => status === 'fulfilled').length;
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) return { successes, error: failed.reason };
  }
  return { successes, error: undefined };
}
