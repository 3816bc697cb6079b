import { describe, expect, it } from 'vitest';
import { formatGoNumber } from './go-number.ts';

describe('formatGoNumber', () => {
  // Recorded from Go 1.24: strconv.FormatFloat(f, 'g', -1, 64).
  it.each([
    [1e-8, '1e-08'],
    [9.999999999999999e-6, '9.999999999999999e-06'],
    [0.0001, '0.0001'],
    [0.00001, '1e-05'],
    [123456, '123456'],
    [1234567, '1.234567e+06'],
    [1000000, '1e+06'],
    [100000, '100000'],
    [12345678.5, '1.23456785e+07'],
    [1e21, '1e+21'],
    [0.001, '0.001'],
    [-2.5, '-2.5'],
    [0, '0'],
    [Number.POSITIVE_INFINITY, '+Inf'],
  ])('writes %d as %s', (value, text) => {
    expect(formatGoNumber(value)).toBe(text);
  });
});
