import { setImmediate } from 'node:timers/promises';

/** Checks a condition in each turn of the event loop until it holds, for at most 15 s. */
export async function until(condition: () => boolean, what = 'the condition'): Promise<void> {
  const end = performance.now() + 15_000;
  while (!condition()) {
    if (performance.now() > end) throw new Error(`timed out waiting for ${what}`);
    await setImmediate();
  }
}
