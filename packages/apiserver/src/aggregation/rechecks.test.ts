import { VirtualClock } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import { Rechecks } from './rechecks.ts';

/** Checks that complete when the test resolves them. */
class Looks {
  readonly clock = new VirtualClock();
  readonly errors: unknown[] = [];
  count = 0;
  goesWell: boolean | Error = true;
  held: (() => void) | undefined;
  readonly rechecks = new Rechecks({
    clock: this.clock,
    everyMs: 1_000,
    retryMs: 100,
    onError: (error) => this.errors.push(error),
    look: async () => {
      this.count++;
      if (this.held) await new Promise<void>((resolve) => (this.held = resolve));
      if (this.goesWell instanceof Error) throw this.goesWell;
      return this.goesWell;
    },
  });

  async countAfter(ms: number): Promise<number> {
    await this.clock.advance(ms);
    return this.count;
  }
}

describe('Rechecks', () => {
  it('checks on request, and again periodically', async () => {
    const looks = new Looks();
    looks.rechecks.look('a');
    expect(await looks.countAfter(999)).toBe(1);
    expect(await looks.countAfter(1)).toBe(2);
    expect(await looks.countAfter(1_000)).toBe(3);
  });

  it('rechecks soon after a failure, then less and less often', async () => {
    const looks = new Looks();
    looks.goesWell = new Error('broken');
    looks.rechecks.look('a');
    const counts: number[] = [];
    for (const ms of [99, 1, 199, 1, 399, 1, 799, 1, 999, 1]) counts.push(await looks.countAfter(ms));
    expect(counts).toEqual([1, 2, 2, 3, 3, 4, 4, 5, 5, 6]);
    expect(looks.errors).toHaveLength(6);
    looks.goesWell = true;
    await looks.countAfter(1_000);
    expect(await looks.countAfter(999)).toBe(7);
  });

  it('repeats a check that was requested while one was running, without running two at a time', async () => {
    const looks = new Looks();
    looks.held = () => {};
    looks.rechecks.look('a');
    looks.rechecks.look('a');
    looks.rechecks.look('a');
    expect(await looks.countAfter(0)).toBe(1);
    const release = looks.held;
    looks.held = undefined;
    release();
    expect(await looks.countAfter(0)).toBe(2);
  });

  it('stops checking a forgotten name', async () => {
    const looks = new Looks();
    looks.rechecks.look('a');
    await looks.countAfter(0);
    looks.rechecks.forget('a');
    expect(await looks.countAfter(10_000)).toBe(1);
  });
});
