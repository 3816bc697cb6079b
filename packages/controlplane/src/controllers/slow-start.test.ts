import { describe, expect, it } from 'vitest';
import { slowStart } from './slow-start.ts';

describe('slowStart', () => {
  it('calls in parallel batches of 1, 2, 4 and the rest', async () => {
    let running = 0;
    const batches: number[] = [];
    const result = await slowStart(10, async () => {
      running++;
      await Promise.resolve();
      if (running > 0) batches.push(running);
      running = 0;
    });
    expect(result).toEqual({ successes: 10, error: undefined });
    expect(batches.filter((count) => count > 0)).toEqual([1, 2, 4, 3]);
  });

  it('stops after the first batch with a failure and reports the number of successes', async () => {
    const made: number[] = [];
    const error = new Error('quota');
    const result = await slowStart(100, async (index) => {
      made.push(index);
      if (index === 4) throw error;
    });
    expect(made).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(result).toEqual({ successes: 6, error });
  });
});
