/** Lets everything else that is due go first: other streams, writers, clients that connect. */
export function nextTurn(): Promise<void> {
  // seam: a turn of the event loop; no time is waited for.
  return new Promise((resolve) => setImmediate(resolve));
}
