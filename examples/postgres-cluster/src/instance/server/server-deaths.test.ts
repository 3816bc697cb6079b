import { describe, expect, it } from 'vitest';
import { ServerDeaths } from './server-deaths.ts';

describe('ServerDeaths', () => {
  it('increases the delay of the next start with each death, up to 10 s', () => {
    const deaths = new ServerDeaths();
    const delays = [0, 0, 0, 0, 0, 0, 0].map(() => {
      deaths.died(1_000);
      return deaths.notBeforeMs - 1_000;
    });
    expect(delays).toEqual([0, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
  });

  it('resets the delay once the server has run for more than 10 s', () => {
    const deaths = new ServerDeaths();
    deaths.died(0);
    deaths.started(0);
    deaths.accepts(10_000);
    deaths.died(10_000);
    expect(deaths.notBeforeMs).toBe(11_000);
    deaths.started(11_000);
    deaths.accepts(21_001);
    deaths.died(21_001);
    expect(deaths.notBeforeMs).toBe(21_001);
  });

  it('returns how long a repeatedly dying server has not accepted connections', () => {
    const deaths = new ServerDeaths();
    expect([1_000, 4_000, 31_000].map((nowMs) => deaths.died(nowMs))).toEqual([0, 3_000, 30_000]);
    deaths.accepts(32_000);
    expect([33_000, 34_000].map((nowMs) => deaths.died(nowMs))).toEqual([0, 1_000]);
  });
});
