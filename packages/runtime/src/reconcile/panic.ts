/**
 * True for failures that indicate a bug in the program, where Go would panic. A `TypeError` with a cause is how `fetch` reports a
 * lost connection; errors with a code come from Node's own APIs.
 */
export function isPanic(error: unknown): boolean {
  if (!(error instanceof TypeError || error instanceof ReferenceError || error instanceof RangeError)) return false;
  return error.cause === undefined && !('code' in error);
}
