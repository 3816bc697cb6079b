import { describe, expect, it } from 'vitest';
import { Soak } from './soak.ts';

// A short form of `npm run proof`'s 30 days (days.mjs), with one seed. That memory is flat is asked there alone.

// Nothing waits for real time here; the time-out is for a busy machine.
describe('an operator through hours of faults', { timeout: 300_000 }, () => {
  it('has everything as it should be soon after they end', async () => {
    await using soak = await Soak.start({ seed: 7 });
    const { wrong, faults, writes } = await soak.storm(4);
    expect(wrong).toEqual([]);
    expect(writes).toBeGreaterThan(30);
    expect(Object.keys(faults).length).toBeGreaterThan(8);
  });

  it('has not, if it takes a failure for success', async () => {
    await using soak = await Soak.start({ seed: 7, flaw: 'takes a failure for success' });
    // A new leader looks at everything, and may put right in time what was missed.
    let { wrong } = await soak.storm(2);
    for (let more = 0; wrong.length === 0 && more < 5; more++) ({ wrong } = await soak.storm(2));
    expect(wrong).not.toEqual([]);
  });
});
