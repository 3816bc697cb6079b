import { VirtualClock } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import { PeriodicChecks } from './periodic-checks.ts';

/** Checks that complete when the test resolves them. */
class RecordedChecks {
  readonly clock = new VirtualClock();
  readonly errors: unknown[] = [];
  count = 0;
  goesWell: boolean | Error = true;
  held: (() => void) | undefined;
  readonly checks = new PeriodicChecks({
    clock: this.clock,
    everyMs: 1_000,
    retryMs: 100,
    onError: (error) => this.errors.push(error),
    check: async () => {
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

describe('PeriodicChecks', () => {
  it('checks on request, and again periodically', async () => {
    const recorded = new RecordedChecks();
    recorded.checks.check('a');
    expect(await recorded.countAfter(999)).toBe(1);
    expect(await recorded.countAfter(1)).toBe(2);
    expect(await recorded.countAfter(1_000)).toBe(3);
  });

  it('checks again soon after a failure, then less and less often', async () => {
    const recorded = new RecordedChecks();
    recorded.goesWell = new Error('broken');
    recorded.checks.check('a');
    const counts: number[] = [];
    for (const ms of [99, 1, 199, 1, 399, 1, 799, 1, 999, 1]) counts.push(await recorded.countAfter(ms));
    expect(counts).toEqual([1, 2, 2, 3, 3, 4, 4, 5, 5, 6]);
    expect(recorded.errors).toHaveLength(6);
    recorded.goesWell = true;
    await recorded.countAfter(1_000);
    expect(await recorded.countAfter(999)).toBe(7);
  });

  it('repeats a check that was requested while one was running, without running two at a time', async () => {
    const recorded = new RecordedChecks();
    recorded.held = () => {};
    recorded.checks.check('a');
    recorded.checks.check('a');
    recorded.checks.check('a');
    expect(await recorded.countAfter(0)).toBe(1);
    const release = recorded.held;
    recorded.held = undefined;
    release();
    expect(await recorded.countAfter(0)).toBe(2);
  });

  it('stops checking a forgotten name', async () => {
    const recorded = new RecordedChecks();
    recorded.checks.check('a');
    await recorded.countAfter(0);
    recorded.checks.forget('a');
    expect(await recorded.countAfter(10_000)).toBe(1);
  });
});
