import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file system of a few hundred kilobytes, mounted until it is disposed. */
export interface SmallDisk extends Disposable {
  readonly folder: string;
}

/** Mounts a small tmpfs; `undefined` where this process may not mount. */
export function smallDisk(size: string): SmallDisk | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'kw-disk-'));
  const options = `size=${size},mode=0755`;
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder]).status !== 0) {
    rmSync(folder, { recursive: true });
    return undefined;
  }
  return {
    folder,
    [Symbol.dispose]: () => {
      spawnSync('umount', ['-l', folder]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The reason why a test that needs {@link smallDisk} was skipped. */
export const noSmallDisk = 'needs root and mount on Linux; an injected file system stands in for it in file-log.test.ts';
