/**
 * Calls a function `count` times, in batches of 1, 2, 4, … concurrent calls, and stops after the first batch with a failure: if a
 * quota rejects one of 500 pods, it rejects them all.
 *
 * @returns the number of successful calls, and the first error.
 */
export async function slowStart(
  count: number,
  call: () => Promise<unknown>,
): Promise<{ readonly successes: number; readonly error?: unknown }> {
  let successes = 0;
  for (let batch = 1; successes < count; batch *= 2) {
    const calls = Array.from({ length: Math.min(batch, count - successes) }, call);
    const results = await Promise.allSettled(calls);
    successes += results.filter(({ status }) => status === 'fulfilled').length;
    const failure = results.find((result) => result.status === 'rejected');
    if (failure) return { successes, error: failure.reason };
  }
  return { successes };
}
