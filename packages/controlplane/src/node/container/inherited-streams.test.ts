import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { withoutInherited } from './inherited-streams.ts';

it('replaces the streams that this process has inherited', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kw-streams-'));
  const add = (number: number, flags: string): void =>
    writeFileSync(join(folder, String(number)), `pos:\t0\nflags:\t${flags}\nmnt_id:\t1\n`);
  for (const number of [0, 1, 2]) add(number, '0100002');
  add(9, '02100000');
  expect(withoutInherited(['ignore', 'pipe', 'pipe'], { empty: 77, folder })).toEqual(['ignore', 'pipe', 'pipe']);
  add(5, '0200000');
  expect(withoutInherited(['pipe', 'pipe', 'pipe'], { empty: 77, folder })).toEqual([
    'pipe',
    'pipe',
    'pipe',
    'ignore',
    'ignore',
    77,
  ]);
  rmSync(folder, { recursive: true });
});
