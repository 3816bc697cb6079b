import { describe, expect, it } from 'vitest';
import { formatMicroTime } from './micro-time.ts';

describe('formatMicroTime', () => {
  it('formats times in microseconds', () => {
    expect(formatMicroTime(Date.UTC(2026, 0, 2) + 1.5)).toBe('2026-01-02T00:00:00.001500Z');
  });
});
