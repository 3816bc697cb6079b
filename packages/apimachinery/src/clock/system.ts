import type { Clock, Timer, TimerOptions } from './clock.ts';
import type { Random } from './random.ts';

/** The machine's clock. The only place in this package that touches real time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer(delayMs: number, callback: () => void, options?: TimerOptions): Timer {
    // setTimeout treats anything over 2^31-1 ms as 1 ms.
    const handle = setTimeout(callback, Math.min(Math.max(delayMs, 0), 2_147_483_647));
    if (options?.unref) (handle as unknown as { unref?: () => void }).unref?.();
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
