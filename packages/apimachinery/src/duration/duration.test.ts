import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDuration, parseDuration, parseDurationMs } from './duration.ts';

describe('duration', () => {
  it.each([
    ['0', 0n, '0s'],
    ['1h30m', 5_400_000_000_000n, '1h30m0s'],
    ['-1.5s', -1_500_000_000n, '-1.5s'],
    ['300ms', 300_000_000n, '300ms'],
    ['1.5us', 1500n, '1.5µs'],
    ['1m0.25s', 60_250_000_000n, '1m0.25s'],
    ['.5h', 1_800_000_000_000n, '30m0s'],
  ])('parses %j', (text, nanoseconds, canonical) => {
    expect(parseDuration(text)).toBe(nanoseconds);
    expect(formatDuration(nanoseconds)).toBe(canonical);
  });

  it.each([
    ['', 'time: invalid duration ""'],
    ['5', 'time: missing unit in duration "5"'],
    ['5x', 'time: unknown unit "x" in duration "5x"'],
    ['s', 'time: invalid duration "s"'],
    ['99999999999h', 'time: invalid duration "99999999999h"'],
  ])('rejects %j as Go does', (text, message) => {
    expect(() => parseDuration(text)).toThrow(expect.objectContaining({ message, code: 'KW1031' }));
  });

  it('parses what it formats', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 62n), max: 2n ** 62n }), (n) => parseDuration(formatDuration(n)) === n),
    );
    expect(parseDurationMs('1.5s')).toBe(1500);
  });
});
