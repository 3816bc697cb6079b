import { spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SandboxFolders } from './sandbox-folders.ts';
import { forgottenSandboxes } from './sandbox-owner.ts';

describe('forgottenSandboxes', () => {
  let temporary: string;
  beforeEach(() => {
    temporary = mkdtempSync(join(tmpdir(), 'kw-owners-'));
  });
  afterEach(() => rmSync(temporary, { recursive: true }));
  const instance = 'c'.repeat(32);

  /** Creates a folder as left behind by another process. */
  function left(owner: object): string {
    const { root } = new SandboxFolders(temporary, instance);
    const file = join(root, 'owner.json');
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), ...owner }));
    return root;
  }

  it('finds only folders left behind by ended processes', () => {
    const { pid } = spawnSync('true');
    const gone = left({ pid });
    const reused = left({ started: 'at another time' });
    const living = left({});
    left({ pid, numbering: 'pid:[1]' });
    left({ pid, instance: '' });
    mkdirSync(join(temporary, 'kw-abcdef'));
    if (process.getuid?.() === 0) chownSync(left({ pid }), 54_321, 54_321);
    expect(
      forgottenSandboxes(temporary)
        .map(({ root }) => root)
        .sort(),
    ).toEqual([gone, reused].sort());
    expect(forgottenSandboxes(temporary)[0]?.instance).toBe(instance);
    expect(existsSync(living)).toBe(true);
  });
});
