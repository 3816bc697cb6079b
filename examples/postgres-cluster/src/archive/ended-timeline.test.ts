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
  ['before the end', '000000010000000100000002', false],
  ['with the end', '000000010000000100000003', true],
  ['after the end', '000000010000000100000004', true],
  ['of a later ancestor, before its end', '000000020000000100000004', false],
  ['of a later ancestor, right before its end at a boundary', '000000020000000100000005', false],
  ['of a later ancestor, after its end at a boundary', '000000020000000100000006', true],
  ['of the current timeline', '000000030000000100000006', false],
  ['with the start of a segment', '000000010000000100000003.partial', false],
])('a segment %s', async (_, name, expected) => {
  writeFileSync(join(folder, '00000002.history'), '1\t1/FF000000\tan older history\n');
  writeFileSync(
    join(folder, '00000003.history'),
    '1\t1/3000148\tno recovery target specified\n\n2\t1/6000000\tbefore\n',
  );
  expect(await check(name)).toBe(expected);
});

it('a segment of a server without a history', async () => {
  expect(await check('000000010000000100000003')).toBe(false);
});
