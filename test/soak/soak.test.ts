import { describe, expect, it } from 'vitest';
import { Soak } from './soak.ts';

// A short version of the 30 days in `npm run proof` (days.mjs), with one seed. Only the long version checks that memory stays
// flat.

// The test does not wait for real time. The timeout allows for a busy machine.
describe('an operator during hours of faults', { timeout: 300_000 }, () => {
  it('converges soon after the faults end', async () => {
    await using soak = await Soak.start({ seed: 7 });
    const { wrong, faults, writes } = await soak.storm(4);
    expect(wrong).toEqual([]);
    expect(writes).toBeGreaterThan(30);
    expect(Object.keys(faults).length).toBeGreaterThan(8);
  });

  it('does not converge if it treats failures as successes', async () => {
    await using soak = await Soak.start({ seed: 7, flaw: 'takes a failure for success' });
    // Repeats the faults, because a new leader reconciles all objects and can repair the damage in time.
    let { wrong } = await soak.storm(2);
    for (let more = 0; wrong.length === 0 && more < 5; more++) ({ wrong } = await soak.storm(2));
    expect(wrong).not.toEqual([]);
  });
});
