import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, systemClock, VirtualClock } from '@kubewright/apimachinery';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Changes } from './changes.ts';
import { fileStates, isSame } from './file-states.ts';

/** Suppresses the periodic scan, so only watches can detect changes. */
const clock: Clock = {
  ...systemClock,
  setTimer: (ms, callback) => (ms < 1_000 ? systemClock.setTimer(ms, callback) : { [Symbol.dispose]: () => undefined }),
};

let root: string;
let version: number;
/** The sources at each reported change. */
let seen: (readonly string[])[];
let changes: Changes;
const path = (...parts: readonly string[]): string => join(root, 'src', ...parts);

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'kw changes-'));
  version = 0;
  seen = [];
  mkdirSync(path('deep', 'er'), { recursive: true });
  for (const file of ['a.ts', 'deep/b.ts', 'deep/er/c.ts']) inPlace(file);
  changes = new Changes(path(), { clock, onChange: () => seen.push(sources()) });
});
afterEach(() => {
  changes[Symbol.dispose]();
  rmSync(root, { recursive: true, force: true });
});

/** Saves like `cp` and most editors. */
function inPlace(file: string): void {
  writeFileSync(path(file), `text ${version++}`);
}

/** Saves like `sed -i` and editors that replace files. */
function byRename(file: string): void {
  writeFileSync(path(`${file}.part`), `text ${version++}`);
  renameSync(path(`${file}.part`), path(file));
}

function sources(): readonly string[] {
  return readdirSync(path(), { recursive: true, encoding: 'utf8' })
    .filter((file) => statSync(path(file)).isFile())
    .map((file) => `${file}: ${readFileSync(path(file), 'utf8')}`)
    .sort();
}

/** Runs `save` and waits until the resulting state is reported. */
async function isNoticed(save: () => void): Promise<void> {
  const before = seen.length;
  save();
  const now = sources();
  await expect.poll(() => seen.slice(before), { interval: 5, timeout: 30_000 }).toContainEqual(now);
}

describe('Changes', () => {
  it('detects every save, whether the file is written in place or replaced', async () => {
    for (const file of ['a.ts', 'deep/er/c.ts']) {
      for (const save of [inPlace, byRename, inPlace, inPlace, byRename, byRename, inPlace]) {
        await isNoticed(() => save(file));
      }
      await isNoticed(() => rmSync(path(file)));
      await isNoticed(() => inPlace(file));
      await isNoticed(() => inPlace(file));
    }
  });

  it('detects saves in new, renamed and recreated folders', async () => {
    await isNoticed(() => {
      mkdirSync(path('new', 'newer'), { recursive: true });
      inPlace('new/newer/d.ts');
    });
    await isNoticed(() => inPlace('new/newer/d.ts'));
    await isNoticed(() => renameSync(path('deep'), path('other')));
    await isNoticed(() => inPlace('other/er/c.ts'));
    await isNoticed(() => byRename('other/b.ts'));
    await isNoticed(() => {
      rmSync(path('other'), { recursive: true });
      mkdirSync(path('other'));
      inPlace('other/b.ts');
    });
    await isNoticed(() => inPlace('other/b.ts'));
    await isNoticed(() => rmSync(path('other'), { recursive: true }));
  });

  it('detects saves after all sources were deleted and restored', async () => {
    renameSync(path(), join(root, 'away'));
    mkdirSync(path());
    await isNoticed(() => inPlace('a.ts'));
    await isNoticed(() => inPlace('a.ts'));
  });

  it('ignores files that are not sources and files that have not changed', () => {
    const before = fileStates(path(), () => undefined);
    expect([...before.keys()].sort()).toEqual([path('a.ts'), path('deep/b.ts'), path('deep/er/c.ts')]);
    for (const name of ['.a.ts.swp', 'a.ts~', 'a.test.ts', 'a.spec.mts', 'a.test-d.ts']) writeFileSync(path(name), 'x');
    for (const folder of ['.git', 'node_modules', 'dist']) {
      mkdirSync(path(folder));
      writeFileSync(path(folder, 'index.ts'), 'x');
    }
    const folders: string[] = [];
    const after = fileStates(path(), (folder) => folders.push(folder));
    expect(isSame(before, after)).toBe(true);
    expect(folders).toEqual([path(), path('deep'), path('deep', 'er')]);
    inPlace('a.ts');
    expect(
      isSame(
        after,
        fileStates(path(), () => undefined),
      ),
    ).toBe(false);
  });

  it('scans periodically for file systems that report no changes', async () => {
    const shared = join(root, 'shared.ts');
    writeFileSync(shared, 'one');
    symlinkSync(shared, path('shared.ts'));
    const time = new VirtualClock();
    let seen = 0;
    using _changes = new Changes(path(), { clock: time, onChange: () => seen++ });
    await time.advance(4_000);
    expect(seen).toBe(0);
    writeFileSync(shared, 'changed');
    await time.advance(2_000);
    expect(seen).toBe(1);
  });
});
