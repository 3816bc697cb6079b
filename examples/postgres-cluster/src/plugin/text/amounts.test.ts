import { describe, expect, it } from 'vitest';
import { age, bytes } from './amounts.ts';

it.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1536, '1.5 KiB'],
  [5 * 1024 ** 3, '5.0 GiB'],
  [2048 * 1024 ** 4, '2048.0 TiB'],
])('bytes formats %i as %s', (count, text) => {
  expect(bytes(count)).toBe(text);
});

describe('age', () => {
  it.each([
    [-5_000, '0s'],
    [119_000, '119s'],
    [120_000, '2m'],
    [7_200_000, '2h'],
    [48 * 3_600_000, '2d'],
  ])('formats %i ms as %s', (ms, text) => {
    expect(age(ms)).toBe(text);
  });
});
