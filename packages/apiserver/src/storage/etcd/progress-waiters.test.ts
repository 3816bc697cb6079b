import { describe, expect, it } from 'vitest';
import { ProgressWaiters } from './progress-waiters.ts';

describe('ProgressWaiters', () => {
  it('runs one poll at a time for any number of waits', async () => {
    let asking = 0;
    let peak = 0;
    const waiters = new ProgressWaiters(async () => {
      peak = Math.max(peak, ++asking);
      await new Promise((resolve) => setImmediate(resolve));
      asking--;
    });
    for (let revision = 1; revision <= 20; revision++) {
      // The polling loop of the previous wait is still paused when the next wait begins.
      const reached = waiters.wait(revision);
      waiters.advance(revision);
      await reached;
    }
    const last = waiters.wait(21);
    await expect.poll(() => asking).toBe(1);
    waiters.advance(21);
    await last;
    expect(peak).toBe(1);
  });

  it('fails all waits', async () => {
    const waiters = new ProgressWaiters(async () => undefined);
    const waits = [waiters.wait(1), waiters.wait(2)];
    waiters.fail(new Error('closed'));
    expect((await Promise.allSettled(waits)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });

  it('fails the waits if polling fails', async () => {
    const waiters = new ProgressWaiters(() => Promise.reject(new Error('unreachable')));
    await expect(waiters.wait(1)).rejects.toThrow('unreachable');
  });
});
