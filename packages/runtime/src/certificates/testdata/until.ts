import { setImmediate } from 'node:timers/promises';

/** Waits, turn by turn, until a condition holds; a machine under load gets a quarter of a minute. */
export async function until(condition: () => boolean, what = 'the condition'): Promise<void> {
  const end = performance.now() + 15_000;
  while (!condition()) {
    if (performance.now() > end) throw new Error(`${what} did not come true`);
    await setImmediate();
  }
}
