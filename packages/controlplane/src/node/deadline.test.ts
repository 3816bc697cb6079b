import { VirtualClock } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import { Deadline } from './deadline.ts';

describe('Deadline', () => {
  const never = () => new Promise<never>(() => {});

  it('is shared by consecutive steps', async () => {
    const clock = new VirtualClock();
    const deadline = new Deadline(clock, 1_000);
    const first = deadline.meets(never(), { reserveMs: 400 });
    await clock.advance(600);
    expect(await first).toBe(false);
    expect(deadline.leftMs).toBe(400);
    const second = deadline.meets(never());
    await clock.advance(400);
    expect(await second).toBe(false);
    expect(deadline.leftMs).toBe(0);
  });

  it('resolves immediately if work ends in time, or rejects with its error', async () => {
    const clock = new VirtualClock();
    const deadline = new Deadline(clock, 1_000);
    expect(await deadline.meets(Promise.resolve())).toBe(true);
    await expect(deadline.meets(Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(clock.pendingTimers).toBe(0);
  });
});
