/**
 * Returns bucket bounds from 10 ns to 1,000 s, each ten times the previous bound. Computed by multiplication as in Go,
 * so that the labels match Go's.
 */
export function exponentialBuckets(): number[] {
  const buckets: number[] = [];
  for (let i = 0, bound = 1e-8; i < 12; i++, bound *= 10) buckets.push(bound);
  return buckets;
}
