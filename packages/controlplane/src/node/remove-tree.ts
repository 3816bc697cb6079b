import { chmodSync, lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Removes a folder with content that is closed even to its owner. Does nothing if it does not exist. Never follows links. */
export function removeTree(folder: string): void {
  open(folder);
  rmSync(folder, { recursive: true, force: true });
}

function open(folder: string): void {
  if (!lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  chmodSync(folder, 0o700);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) open(join(folder, entry.name));
  }
}
