import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { inheritedStreams, withoutInherited } from './inherited-streams.ts';

it('replaces the streams that this process has inherited', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kw-streams-'));
  const add = (number: number, flags: string): void =>
    writeFileSync(join(folder, String(number)), `pos:\t0\nflags:\t${flags}\nmnt_id:\t1\n`);
  const streams = (stdio: Parameters<typeof withoutInherited>[0]) =>
    withoutInherited(stdio, { empty: 77, inherited: inheritedStreams(folder) });
  for (const number of [0, 1, 2]) add(number, '0100002');
  add(9, '02100000');
  expect(streams(['ignore', 'pipe', 'pipe'])).toEqual(['ignore', 'pipe', 'pipe']);
  add(5, '0200000');
  expect(streams(['pipe', 'pipe', 'pipe'])).toEqual(['pipe', 'pipe', 'pipe', 'ignore', 'ignore', 77]);
  rmSync(folder, { recursive: true });
});
