/** Yields to other pending work, such as other streams, writers and connecting clients. */
export function nextTurn(): Promise<void> {
  // seam: yields a turn of the event loop; adds no delay.
  return new Promise((resolve) => setImmediate(resolve));
}
