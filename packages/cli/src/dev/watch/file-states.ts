import { type Dirent, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Folders without sources. */
const leftOut: ReadonlySet<string> = new Set(['node_modules', 'dist']);
/** Tests are not part of the operator. */
const test = /\.(?:test|spec|test-d)\.[cm]?[jt]sx?$/;

/**
 * Maps the path of each file in a folder to a state that changes when the file is saved. Skips tests, hidden files and
 * editor backups. Calls `enter` with each folder before it is read.
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

/** True if both readings contain the same files in the same states. */
export function isSame(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  return a.size === b.size && [...a].every(([path, state]) => b.get(path) === state);
}

function isNoSource(name: string): boolean {
  return name.startsWith('.') || name.endsWith('~') || leftOut.has(name) || test.test(name);
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // Deleted in the meantime.
    return [];
  }
}

function stateOf(path: string): string {
  // The file may have been deleted in the meantime, or may be a dangling link.
  const found = statSync(path, { throwIfNoEntry: false });
  return found ? `${found.ino} ${found.size} ${found.mtimeMs}` : '';
}
