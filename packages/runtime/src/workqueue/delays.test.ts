import { VirtualClock } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import { exponentialRateLimiter, type RateLimiter } from './rate-limiter.ts';
import { WorkQueue } from './work-queue.ts';

function setUp(rateLimiter?: RateLimiter) {
  const clock = new VirtualClock();
  const queue = new WorkQueue({ clock, ...(rateLimiter && { rateLimiter }) });
  /** Takes all keys that are ready now. */
  const taken = async (): Promise<string[]> => {
    const keys: string[] = [];
    while (queue.length > 0) {
      const { key = '' } = (await queue.get()) ?? {};
      queue.done(key);
      keys.push(key);
    }
    return keys;
  };
  return { clock, queue, taken };
}

describe('WorkQueue delays', () => {
  it('treat NaN as no delay, without holding up other keys', async () => {
    const { clock, queue, taken } = setUp();
    queue.addAfter('bad', { delayMs: Number.NaN });
    queue.requeueAfter('worse', { delayMs: Number.NaN });
    queue.addAfter('good', { delayMs: 50 });
    expect(await taken()).toEqual(['bad', 'worse']);
    await clock.advance(50);
    expect(await taken()).toEqual(['good']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('are one second if a rate limiter returns NaN', async () => {
    const { clock, queue, taken } = setUp({ when: () => Number.NaN, forget: () => {}, failures: () => 0 });
    expect(queue.addRateLimited('bad')).toBe(1_000);
    await clock.advance(999);
    expect(await taken()).toEqual([]);
    await clock.advance(1);
    expect(await taken()).toEqual(['bad']);
  });
});

describe('exponentialRateLimiter', () => {
  it('returns a number no matter how often a key has failed', () => {
    const none = exponentialRateLimiter({ baseMs: 0 });
    const usual = exponentialRateLimiter();
    for (let failures = 0; failures < 2_000; failures++) {
      expect(none.when('a')).toBe(0);
      expect(usual.when('a')).toBeLessThanOrEqual(1_000_000);
    }
  });
});
