import { describe, expect, it } from 'vitest';
import { exponentialDelay } from './exponential-delay.ts';

describe('exponentialDelay', () => {
  it('doubles with each failure, up to the maximum', () => {
    const delays = [0, 1, 2, 3, 4].map((failures) => exponentialDelay(failures, { initialMs: 200, maxMs: 1_500 }));
    expect(delays).toEqual([200, 400, 800, 1_500, 1_500]);
  });

  it('returns a finite delay after any number of failures', () => {
    expect(exponentialDelay(1e6, { initialMs: 5, maxMs: 1_000_000 })).toBe(1_000_000);
    expect(exponentialDelay(1e6, { initialMs: 0, maxMs: 1_000_000 })).toBe(0);
  });
});
