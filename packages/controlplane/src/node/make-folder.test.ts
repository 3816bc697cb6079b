import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeFolder } from './make-folder.ts';
import { smallDisk } from './testdata/small-disk.ts';

describe('makeFolder', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kw-folder-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('creates all missing folders and keeps existing ones', () => {
    makeFolder(join(folder, 'a', 'b'), 0o700);
    makeFolder(join(folder, 'a', 'b'), 0o700);
    expect(statSync(join(folder, 'a', 'b')).mode & 0o777).toBe(0o700);
  });

  it('reports the real reason if a file is in the way', () => {
    writeFileSync(join(folder, 'file'), '');
    expect(failureOf(join(folder, 'file', 'a', 'b'))).toMatchObject({ code: 'ENOTDIR' });
    expect(existsSync(join(folder, 'file', 'a'))).toBe(false);
  });

  it('reports the real reason on a read-only file system', (context) => {
    using disk = smallDisk('256k');
    if (!disk) return context.skip('needs root and mount on Linux');
    mkdirSync(join(disk.folder, 'there'));
    spawnSync('mount', ['-o', 'remount,ro', disk.folder]);
    expect(failureOf(join(disk.folder, 'there', 'a', 'b'))).toMatchObject({ code: 'EROFS' });
    return undefined;
  });
});

function failureOf(path: string): unknown {
  try {
    makeFolder(path, 0o700);
    return undefined;
  } catch (error) {
    return error;
  }
}
