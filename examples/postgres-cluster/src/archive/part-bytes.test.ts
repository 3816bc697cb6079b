import { expect, it } from 'vitest';
import { partBytes } from './part-bytes.ts';

const mebibyte = 1024 * 1024;

it.each([
  [0, 16],
  [999, 16],
  [1_000, 32],
  [3_999, 128],
  [4_000, 256],
  [9_999, 256],
])('partBytes gives part %i a size of %i MiB', (index, size) => {
  expect(partBytes(index)).toBe(size * mebibyte);
});

it('partBytes fits a base backup of 1.5 TiB into 10,000 parts, the most that S3 accepts', () => {
  const total = Array.from({ length: 10_000 }, (_, index) => partBytes(index)).reduce((sum, size) => sum + size, 0);
  expect(total).toBeGreaterThan(1.5 * 1024 * 1024 * mebibyte);
});
