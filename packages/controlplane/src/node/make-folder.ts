import { existsSync, mkdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';

/**
 * Creates a folder and its missing parents; does nothing if it exists.
 *
 * @throws the system's error; Node itself reports ENOENT if a parent is read-only.
 */
export function makeFolder(path: string, mode: number): void {
  try {
    mkdirSync(path, { recursive: true, mode });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    mkdirSync(firstMissing(path), { mode });
    // A parent folder was deleted concurrently; it exists again, so retry.
    mkdirSync(path, { recursive: true, mode });
  }
}

function firstMissing(path: string): string {
  const parent = dirname(path);
  return existsSync(parent) || parent === path || basename(path) === '' ? path : firstMissing(parent);
}
