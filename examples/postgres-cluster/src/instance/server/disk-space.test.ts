import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { diskSpace } from './disk-space.ts';

it('reports a disk as full if two WAL segments do not fit', async () => {
  const { freeBytes, isDiskFull } = await diskSpace(tmpdir(), { segmentBytes: 1 });
  expect(isDiskFull).toBe(false);
  expect((await diskSpace(tmpdir(), { segmentBytes: freeBytes })).isDiskFull).toBe(true);
});
