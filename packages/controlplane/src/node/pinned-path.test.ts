import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PinnedPath, removeFolder } from './pinned-path.ts';

describe('PinnedPath', () => {
  let folder: string;
  let volume: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'pinned-'));
    volume = join(folder, 'volume');
    mkdirSync(join(volume, 'a/b'), { recursive: true });
    mkdirSync(join(folder, 'outside'));
    writeFileSync(join(folder, 'outside/file'), 'kept');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const make = (path: string): void => {
    mkdirSync(path);
  };

  it('opens folders and files below a folder, and creates missing folders', () => {
    writeFileSync(join(volume, 'a/f'), 'text');
    using file = PinnedPath.within(volume, { below: 'a/f' });
    expect(readFileSync(file.path, 'utf8')).toBe('text');
    PinnedPath.within(volume, { below: './a/new/deep', make })[Symbol.dispose]();
    expect(readdirSync(join(volume, 'a/new'))).toEqual(['deep']);
    expect(() => PinnedPath.within(volume, { below: 'missing' })).toThrow('ENOENT');
  });

  it.each(['link', 'link/new', 'a/up/new', '../outside', 'dangling/new'])('does not follow a link: %s', (below) => {
    symlinkSync('../outside', join(volume, 'link'));
    symlinkSync('../../outside', join(volume, 'a/up'));
    symlinkSync('/nowhere', join(volume, 'dangling'));
    expect(() => PinnedPath.within(volume, { below, make })).toThrow('ELOOP');
    expect(readdirSync(join(folder, 'outside'))).toEqual(['file']);
  });

  it('does not follow a link that takes the place of a missing folder', () => {
    const race = (path: string): void => symlinkSync(join(folder, 'outside'), path);
    expect(() => PinnedPath.within(volume, { below: 'new/deep', make: race })).toThrow('ELOOP');
  });

  it.skipIf(process.platform !== 'linux')('stays the same folder when a link takes its place', () => {
    using pinned = PinnedPath.within(volume, { below: 'a' });
    renameSync(join(volume, 'a'), join(volume, 'moved'));
    symlinkSync('../outside', join(volume, 'a'));
    mkdirSync(join(pinned.path, 'made'));
    expect(readdirSync(join(volume, 'moved')).sort()).toEqual(['b', 'made']);
    expect(readdirSync(join(folder, 'outside'))).toEqual(['file']);
  });

  it.skipIf(process.platform !== 'linux')('removes folders without leaving them', () => {
    symlinkSync('../outside', join(volume, 'link'));
    writeFileSync(join(volume, 'a/f'), 'text');
    mkdirSync(join(volume, 'z/deep'), { recursive: true });
    // A container moves a folder while the first file is being checked.
    const beforeFile = (): void => {
      renameSync(join(volume, 'z'), join(volume, 'z-moved'));
      symlinkSync('../outside', join(volume, 'z'));
    };
    expect(() => removeFolder(volume, { beforeFile })).toThrow('ENOTEMPTY');
    removeFolder(volume);
    removeFolder(volume);
    expect(readdirSync(folder)).toEqual(['outside']);
    expect(readdirSync(join(folder, 'outside'))).toEqual(['file']);
  });
});
