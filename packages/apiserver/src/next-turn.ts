/** Yields to all other pending work: other streams, writers, connecting clients. */
export function nextTurn(): Promise<void> {
  // seam: yields a turn of the event loop; adds no delay.
  return new Promise((resolve) => setImmediate(resolve));
}
