import { sleep, VirtualClock } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import { advance } from './advance.ts';

describe('advance', () => {
  it('fires timers in order, and lets the event loop turn between them', async () => {
    const clock = new VirtualClock();
    const hours: number[] = [];
    const work = async (): Promise<void> => {
      for (;;) {
        await sleep(clock, { ms: 3_600_000 });
        await new Promise((resolve) => setImmediate(resolve)); // This work needs a turn of the event loop.
        hours.push(clock.monotonic() / 3_600_000);
      }
    };
    void work();
    await advance(clock, '24h');
    expect(hours).toEqual(Array.from({ length: 24 }, (_, hour) => hour + 1));
  });

  it('rejects text that is not a duration', async () => {
    await expect(advance(new VirtualClock(), 'a day')).rejects.toMatchObject({ code: 'KW1031' });
  });
});
