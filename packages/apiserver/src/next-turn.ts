/** Yields to all other pending work: other streams, writers, connecting clients. */
export function nextTurn(): Promise<void> {
  // seam: a turn of the event loop; no time is waited for.
  return new Promise((resolve) => setImmediate(resolve));
}
