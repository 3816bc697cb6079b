/** Time limit for a condition that needs modules to be loaded on a busy machine, in milliseconds. */
const patienceMs = 15_000;

/** Checks a condition in each turn of the event loop until it holds. */
export async function eventually(condition: () => boolean, what = 'the condition'): Promise<void> {
  const { setImmediate } = await import('node:timers/promises');
  for (const endsAt = performance.now() + patienceMs; performance.now() < endsAt; ) {
    if (condition()) return;
    await setImmediate();
  }
  throw new Error(`timed out waiting for ${what}`);
}
