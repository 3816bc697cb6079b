import type { Clock, Timer, TimerOptions } from './clock.ts';
import type { Random } from './random.ts';

/** Maximum delay of setTimeout, which treats a longer delay as 1 ms; longer timers therefore wait in steps. */
const longestTimeoutMs = 2_147_483_647;

/** The machine's clock. The only place in this package that touches real time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer(delayMs: number, callback: () => void, options?: TimerOptions): Timer {
    let handle: ReturnType<typeof setTimeout>;
    const wait = (ms: number): void => {
      const step = Math.min(ms, longestTimeoutMs);
      handle = setTimeout(() => (ms > step ? wait(ms - step) : callback()), step);
      if (options?.unref) (handle as unknown as { unref?: () => void }).unref?.();
    };
    wait(Math.max(delayMs, 0));
    return { [Symbol.dispose]: () => clearTimeout(handle) };
  },
};

/**
 * The machine's source of randomness.
 *
 * @example
 * ```ts
 * const jitter = systemRandom.next();
 * ```
 */
export const systemRandom: Random = {
  next: () => Math.random(),
  uid: () => crypto.randomUUID(),
};
