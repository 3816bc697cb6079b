import { lchownSync, lstatSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LocalVolumeFolders } from './local-volume-folders.ts';

describe('LocalVolumeFolders', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'kw-folders-'));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('copies a volume with the owners of its folders, files and links', async (context) => {
    if (process.getuid?.() !== 0) return context.skip('only root can change file owners');
    const folders = new LocalVolumeFolders(root);
    const [original, copy] = ['original', 'copy'].map((name) => folders.pathOf('node', name)) as [string, string];
    await folders.create(original, {});
    const outside = join(root, 'outside');
    mkdirSync(join(original, 'below'));
    mkdirSync(outside);
    writeFileSync(join(original, 'below', 'file'), 'text');
    symlinkSync(outside, join(original, 'link'));
    const owners = { '': 54_321, below: 54_321, 'below/file': 54_322, link: 54_323 };
    for (const [path, id] of Object.entries(owners)) lchownSync(join(original, path), id, id);
    await folders.create(copy, { copyOf: original });
    for (const [path, id] of Object.entries(owners))
      expect(lstatSync(join(copy, path)), path).toMatchObject({ uid: id, gid: id });
    expect(lstatSync(outside).uid).toBe(0);
    return undefined;
  });
});
