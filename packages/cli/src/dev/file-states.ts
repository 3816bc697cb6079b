import { type Dirent, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Folders that no source is in. */
const leftOut: ReadonlySet<string> = new Set(['node_modules', 'dist']);

/**
 * Reads what lies below a folder: for the path of each file what is another after it was saved. Hidden files and what editors
 * keep beside a file are no sources. `enter` is told of each folder before it is read.
 */
export function fileStates(folder: string, enter: (folder: string) => void): ReadonlyMap<string, string> {
  const states = new Map<string, string>();
  const folders = [folder];
  for (let each = folders.pop(); each !== undefined; each = folders.pop()) {
    enter(each);
    for (const entry of entriesOf(each)) {
      if (isNoSource(entry.name)) continue;
      const path = join(each, entry.name);
      if (entry.isDirectory()) folders.push(path);
      else states.set(path, stateOf(path));
    }
  }
  return states;
}

/** True when two readings are of the same files in the same states. */
export function isSame(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  return a.size === b.size && [...a].every(([path, state]) => b.get(path) === state);
}

function isNoSource(name: string): boolean {
  return name.startsWith('.') || name.endsWith('~') || leftOut.has(name);
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // Gone meanwhile.
    return [];
  }
}

function stateOf(path: string): string {
  // Gone meanwhile, or a link to nothing.
  const found = statSync(path, { throwIfNoEntry: false });
  return found ? `${found.ino} ${found.size} ${found.mtimeMs}` : '';
}
