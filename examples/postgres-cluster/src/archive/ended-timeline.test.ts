import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { isAfterEndOfTimeline } from './ended-timeline.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'timeline-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const check = (name: string) => {
  const path = join(folder, name);
  writeFileSync(path, '');
  truncateSync(path, 16 * 1024 * 1024);
  return isAfterEndOfTimeline({ name, path });
};

it.each([
  ['before the end of its timeline', '000000010000000100000002', false],
  ['in which its timeline ends', '000000010000000100000003', true],
  ['after the end of its timeline', '000000010000000100000004', true],
  ['before the end of a later ancestor', '000000020000000100000004', false],
  ['that ends exactly where a later ancestor ends', '000000020000000100000005', false],
  ['that starts exactly where a later ancestor ends', '000000020000000100000006', true],
  ['of the current timeline', '000000030000000100000006', false],
  ['that is partial', '000000010000000100000003.partial', false],
])('isAfterEndOfTimeline checks a segment %s', async (_, name, expected) => {
  writeFileSync(join(folder, '00000002.history'), '1\t1/FF000000\tan older history\n');
  writeFileSync(
    join(folder, '00000003.history'),
    '1\t1/3000148\tno recovery target specified\n\n2\t1/6000000\tbefore\n',
  );
  expect(await check(name)).toBe(expected);
});

it('isAfterEndOfTimeline returns false if there is no timeline history', async () => {
  expect(await check('000000010000000100000003')).toBe(false);
});
