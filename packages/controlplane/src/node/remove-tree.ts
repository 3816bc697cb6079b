import { chmodSync, lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Removes a folder, even if its owner has no access to subfolders. Does nothing if it does not exist. Never follows links. */
export function removeTree(folder: string): void {
  makeAccessible(folder);
  rmSync(folder, { recursive: true, force: true });
}

function makeAccessible(folder: string): void {
  if (!lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  chmodSync(folder, 0o700);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) makeAccessible(join(folder, entry.name));
  }
}
