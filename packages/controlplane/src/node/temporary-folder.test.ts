import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from './temporary-folder.ts';

describe('temporaryFolder', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kw-t-'));
    chmodSync(folder, 0o755);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('is the folder for temporary files', () => {
    expect(temporaryFolder({ own: folder, isRoot: false })).toBe(folder);
  });

  it('is /tmp if other users cannot enter the folder for temporary files', () => {
    chmodSync(folder, 0o700);
    expect(temporaryFolder({ own: folder, isRoot: true })).toBe('/tmp');
    expect(temporaryFolder({ own: folder, isRoot: false })).toBe(folder);
  });

  it('is /tmp if socket paths would be too long, and reports that', () => {
    const own = join(folder, 'a'.repeat(200), 'b'.repeat(100));
    mkdirSync(own, { recursive: true });
    const seen: string[] = [];
    expect(temporaryFolder({ own, onTooLong: (long) => seen.push(long) })).toBe('/tmp');
    expect(seen).toEqual([own]);
  });

  it('reports why it cannot be used, and a remedy', () => {
    const missing = join(folder, 'missing');
    expect(() => temporaryFolder({ own: missing })).toThrow(
      /^cannot create container folders in .*missing: ENOENT: .*; create the folder \(mkdir -p .*missing\), or set TMPDIR to another folder$/,
    );
    const file = join(folder, 'file');
    writeFileSync(file, '');
    expect(() => temporaryFolder({ own: file })).toThrow(/: ENOTDIR: .*; replace the file in the path/);
    const long = join(folder, 'a'.repeat(300));
    expect(() => temporaryFolder({ own: long })).toThrow(/: ENAMETOOLONG: .*; set TMPDIR to .* with a shorter path/);
  });
});
