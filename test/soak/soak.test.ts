import { describe, expect, it } from 'vitest';
import type { Flaw } from './site.ts';
import { type Day, Soak } from './soak.ts';

// A short form of `npm run proof`'s 30 days (days.mjs), with one seed. That memory is flat is asked there alone.

async function shortDay(flaw?: Flaw): Promise<Day> {
  await using soak = await Soak.start({ seed: 7, stormyHours: 4, flaw });
  return await soak.day();
}

describe('an operator through hours of faults', () => {
  it('has everything as it should be soon after they end', { timeout: 120_000 }, async () => {
    const { wrong, faults, writes } = await shortDay();
    expect(wrong).toEqual([]);
    expect(writes).toBeGreaterThan(30);
    expect(Object.keys(faults).length).toBeGreaterThan(8);
  });

  it('has not, if it takes a failure for success', { timeout: 120_000 }, async () => {
    expect((await shortDay('takes a failure for success')).wrong).not.toEqual([]);
  });
});
