import { describe, expect, it } from 'vitest';
import { UsageRates } from './usage-rates.ts';

/** Returns a function that computes the rate of a container started at 0, from the current time and the processor time in seconds. */
function setUp() {
  const rates = new UsageRates();
  return (seconds: number, cpuSeconds: number, id = 'a') =>
    rates.rate({ name: 'c', id, startedAtMs: 0, atMs: seconds * 1_000, cpuSeconds, memoryBytes: 0 });
}

describe('UsageRates', () => {
  it("measures since the container's start on the first request", () => {
    expect(setUp()(20, 5)).toEqual({ cores: 0.25, windowMs: 20_000 });
  });

  it('measures since the last sample if it is at least ten seconds old', () => {
    const rate = setUp();
    rate(20, 5);
    expect(rate(30, 15)).toEqual({ cores: 1, windowMs: 10_000 });
    expect(rate(60, 15)).toEqual({ cores: 0, windowMs: 30_000 });
  });

  it('measures since the previous sample if the last one is more recent', () => {
    const rate = setUp();
    rate(20, 5);
    rate(30, 15);
    expect(rate(35, 20)).toEqual({ cores: 1, windowMs: 15_000 });
    expect(rate(39, 20)).toEqual({ cores: 15 / 19, windowMs: 19_000 });
    expect(rate(40, 20)).toEqual({ cores: 0.5, windowMs: 10_000 });
  });

  it('reports zero for a container that has just started, and for processor time that runs backwards', () => {
    const rate = setUp();
    expect(rate(0, 0)).toEqual({ cores: 0, windowMs: 0 });
    rate(20, 5);
    expect(rate(40, 1).cores).toBe(0);
  });

  it('drops containers whose usage is no longer requested', () => {
    const rate = setUp();
    rate(20, 5, 'gone');
    rate(400, 5, 'other');
    expect(rate(401, 100.25, 'gone')).toEqual({ cores: 0.25, windowMs: 401_000 });
  });
});
