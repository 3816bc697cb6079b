/**
 * True for failures that say the program is wrong rather than the world: what Go would panic with. A `TypeError` with a
 * cause is how `fetch` tells of a lost connection; errors with a code are Node's answers to what was asked of it.
 */
export function isPanic(error: unknown): boolean {
  if (!(error instanceof TypeError || error instanceof ReferenceError || error instanceof RangeError)) return false;
  return error.cause === undefined && !('code' in error);
}
