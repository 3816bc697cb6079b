/**
 * Calls a function for each item, in batches of 1, 2, 4, … concurrent calls, and stops after the first batch with a failure: if a
 * quota rejects one of 500 pods, it rejects them all.
 *
 * @returns the items that failed or were left out, and the first error.
 */
export async function slowStart<T>(
  items: readonly T[],
  call: (item: T) => Promise<unknown>,
): Promise<{ readonly left: readonly T[]; readonly error?: unknown }> {
  for (let at = 0, size = 1; at < items.length; at += size, size *= 2) {
    const results = await Promise.allSettled(items.slice(at, at + size).map(call));
    const failure = results.find((result) => result.status === 'rejected');
    const left = items.slice(at).filter((_, index) => results[index]?.status !== 'fulfilled');
    if (failure) return { left, error: failure.reason };
  }
  return { left: [] };
}
