import { describe, expect, it } from 'vitest';
import { UsageRates } from './usage-rates.ts';

/** Returns the rate of a container that started at 0, given the current time and its processor time in seconds. */
function setUp() {
  const rates = new UsageRates();
  return (seconds: number, cpuSeconds: number, id = 'a') =>
    rates.rate({ name: 'c', id, startedAtMs: 0, atMs: seconds * 1_000, cpuSeconds, memoryBytes: 0 });
}

describe('UsageRates', () => {
  it('measures since the start of a container first', () => {
    expect(setUp()(20, 5)).toEqual({ cores: 0.25, windowMs: 20_000 });
  });

  it('measures since the last request, if that is ten seconds old', () => {
    const rate = setUp();
    rate(20, 5);
    expect(rate(30, 15)).toEqual({ cores: 1, windowMs: 10_000 });
    expect(rate(60, 15)).toEqual({ cores: 0, windowMs: 30_000 });
  });

  it('measures since the request before, if the last one is younger', () => {
    const rate = setUp();
    rate(20, 5);
    rate(30, 15);
    expect(rate(35, 20)).toEqual({ cores: 1, windowMs: 15_000 });
    expect(rate(39, 20)).toEqual({ cores: 15 / 19, windowMs: 19_000 });
    expect(rate(40, 20)).toEqual({ cores: 0.5, windowMs: 10_000 });
  });

  it('knows nothing of a container that has just started, and of a time that runs backwards', () => {
    const rate = setUp();
    expect(rate(0, 0)).toEqual({ cores: 0, windowMs: 0 });
    rate(20, 5);
    expect(rate(40, 1).cores).toBe(0);
  });

  it('forgets containers that no one asks about', () => {
    const rate = setUp();
    rate(20, 5, 'gone');
    rate(400, 5, 'other');
    expect(rate(401, 100.25, 'gone')).toEqual({ cores: 0.25, windowMs: 401_000 });
  });
});
