import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readlinkSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ReachablePrograms } from './reachable-programs.ts';

describe('ReachablePrograms', () => {
  const unknownUser = { uid: 65_534, gid: 65_534 };
  let home: string;
  let tree: string;
  let made: string[];
  let programs: ReachablePrograms;

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'kw-programs-'));
    tree = join(home, 'private', 'pg');
    mkdirSync(join(tree, 'bin'), { recursive: true });
    mkdirSync(join(tree, 'lib'));
    writeFileSync(join(tree, 'bin', 'hello'), '#!/bin/sh\necho hello\n', { mode: 0o755 });
    writeFileSync(join(tree, 'lib', 'libx.so.1'), 'x', { mode: 0o600 });
    symlinkSync('libx.so.1', join(tree, 'lib', 'libx.so'));
    chmodSync(home, 0o755);
    made = [];
    programs = new ReachablePrograms(() => {
      const folder = join(home, `copy${made.length}`);
      mkdirSync(folder);
      made.push(folder);
      return folder;
    });
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  it('does not copy programs that the user can reach', async () => {
    const where = await programs.for([tree], unknownUser);
    expect(where(join(tree, 'bin'))).toBe(join(tree, 'bin'));
    expect(made).toEqual([]);
  });

  it('copies unreachable programs once', async () => {
    chmodSync(join(home, 'private'), 0o700);
    const [first, second] = await Promise.all([programs.for([tree], unknownUser), programs.for([tree], unknownUser)]);
    const copy = first(tree);
    expect(second(join(tree, 'bin'))).toBe(join(copy, 'bin'));
    expect(made).toHaveLength(1);
    expect(copy.startsWith(made[0] ?? '?')).toBe(true);
    expect(spawnSync(join(copy, 'bin', 'hello'), { encoding: 'utf8' }).stdout).toBe('hello\n');
    expect(statSync(join(copy, 'lib', 'libx.so.1')).mode & 0o777).toBe(0o644);
    expect(readlinkSync(join(copy, 'lib', 'libx.so'))).toBe('libx.so.1');
    expect(first('/elsewhere/pg')).toBe('/elsewhere/pg');
  });

  it('copies a single file', async () => {
    chmodSync(join(home, 'private'), 0o700);
    const file = join(tree, 'bin', 'hello');
    const where = await programs.for([file], unknownUser);
    expect(spawnSync(where(file), { encoding: 'utf8' }).stdout).toBe('hello\n');
  });

  it.each([
    ['a script', () => join(tree, 'bin', 'hello')],
    ['a folder', () => tree],
  ])('copies %s that the user may execute but not read', async (_, place) => {
    chmodSync(place(), 0o711);
    const where = await programs.for([place()], unknownUser);
    expect(where(place())).not.toBe(place());
    expect(statSync(where(place())).mode & 0o777).toBe(0o755);
  });

  it("copies nothing for the agent's own user", async () => {
    chmodSync(join(home, 'private'), 0o700);
    const where = await programs.for([tree], undefined);
    expect(where(tree)).toBe(tree);
  });
});
