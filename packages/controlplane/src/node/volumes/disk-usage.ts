import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** What a folder may hold of files before the rest is not counted any more. */
const mostEntries = 200_000;

/** Bytes that a folder takes on disk, with all that is below it; links are not followed. */
export async function diskUsage(folder: string): Promise<number> {
  let bytes = 0;
  let entries = 0;
  const seen = new Set<string>();
  const folders = [folder];
  for (let next = folders.pop(); next !== undefined && entries < mostEntries; next = folders.pop()) {
    // What is removed while we look takes nothing any more.
    const names = await readdir(next).catch(() => []);
    for (const name of names) {
      const path = join(next, name);
      const found = await lstat(path).catch(() => undefined);
      if (!found) continue;
      entries++;
      if (found.isDirectory()) folders.push(path);
      // A file with several names is there once.
      const id = `${found.dev} ${found.ino}`;
      if (found.nlink > 1 && !found.isDirectory()) {
        if (seen.has(id)) continue;
        seen.add(id);
      }
      bytes += found.blocks * 512;
    }
  }
  return bytes;
}
