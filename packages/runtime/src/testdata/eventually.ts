/** Waits, turn by turn of the event loop, until a condition holds. */
export async function eventually(condition: () => boolean, what = 'the condition'): Promise<void> {
  const { setImmediate } = await import('node:timers/promises');
  for (let turn = 0; turn < 20_000; turn++) {
    if (condition()) return;
    await setImmediate();
  }
  throw new Error(`${what} did not come true`);
}
