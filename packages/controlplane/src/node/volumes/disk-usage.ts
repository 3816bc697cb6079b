import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Maximum number of entries to count; the rest is ignored. */
const maxEntries = 200_000;

/** Returns the bytes that a folder and its content take on disk. Links are not followed. */
export async function diskUsage(folder: string): Promise<number> {
  let bytes = 0;
  let entries = 0;
  const seen = new Set<string>();
  const folders = [folder];
  for (let next = folders.pop(); next !== undefined && entries < maxEntries; next = folders.pop()) {
    // Entries removed in the meantime count as empty.
    const names = await readdir(next).catch(() => []);
    for (const name of names) {
      const path = join(next, name);
      const found = await lstat(path).catch(() => undefined);
      if (!found) continue;
      entries++;
      if (found.isDirectory()) folders.push(path);
      // Count a file with several hard links once.
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
