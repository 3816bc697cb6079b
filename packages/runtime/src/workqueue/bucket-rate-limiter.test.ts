import { VirtualClock } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import { bucketRateLimiter, maxOfRateLimiter } from './bucket-rate-limiter.ts';
import { exponentialRateLimiter } from './rate-limiter.ts';
import { WorkQueue } from './work-queue.ts';

describe('bucketRateLimiter', () => {
  it('lets a burst through, then spaces retries of any keys evenly', async () => {
    const clock = new VirtualClock();
    const limiter = bucketRateLimiter({ qps: 10, burst: 3, clock });
    expect(['a', 'b', 'a', 'c', 'a'].map((key) => limiter.when(key))).toEqual([0, 0, 0, 100, 200]);
    await clock.advance(250);
    expect(limiter.when('d')).toBe(50);
    expect(limiter.failures('a')).toBe(0);
  });

  it('saves up no more than the burst', async () => {
    const clock = new VirtualClock();
    const limiter = bucketRateLimiter({ qps: 10, burst: 2, clock });
    await clock.advance(3_600_000);
    expect([1, 2, 3].map(() => limiter.when('a'))).toEqual([0, 0, 100]);
  });

  it('rejects settings that would never let a retry through', () => {
    expect(() => bucketRateLimiter({ qps: 0 })).toThrow(RangeError);
    expect(() => bucketRateLimiter({ burst: 0.5 })).toThrow(RangeError);
    expect(() => bucketRateLimiter({ qps: Number.NaN })).toThrow(RangeError);
  });
});

describe('maxOfRateLimiter', () => {
  it('waits for the longest delay, and forgets everywhere', () => {
    const clock = new VirtualClock();
    const limiter = maxOfRateLimiter(
      exponentialRateLimiter({ baseMs: 5 }),
      bucketRateLimiter({ qps: 100, burst: 2, clock }),
    );
    expect([1, 2, 3, 4].map(() => limiter.when('a'))).toEqual([5, 10, 20, 40]);
    expect(limiter.failures('a')).toBe(4);
    expect(limiter.when('b')).toBe(30);
    limiter.forget('a');
    expect(limiter.failures('a')).toBe(0);
  });

  it('limits the retries of a queue as a whole', async () => {
    const clock = new VirtualClock();
    const rateLimiter = maxOfRateLimiter(exponentialRateLimiter(), bucketRateLimiter({ qps: 1, burst: 1, clock }));
    const queue = new WorkQueue({ clock, rateLimiter });
    for (const key of ['a', 'b', 'c']) queue.addRateLimited(key);
    await clock.advance(10);
    expect(queue.length).toBe(1);
    await clock.advance(1_000);
    expect(queue.length).toBe(2);
    await clock.advance(1_000);
    expect(queue.length).toBe(3);
  });
});
