import { Buffer } from 'node:buffer';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { databaseFolder, objectPrefix } from './disk-layout.ts';
import { decodeRecord } from './disk-record.ts';
import { openLevel, repairLevel } from './level-database.ts';

/**
 * Writes the readable objects of a damaged store to `readable.json` in its folder, as a List. Does not change the store itself.
 * Returns undefined if nothing could be written, for example because the disk is full.
 */
export async function exportReadable(
  directory: string,
): Promise<{ readonly file: string; readonly objects: number } | undefined> {
  const file = join(directory, 'readable.json');
  let copy: string | undefined;
  try {
    copy = mkdtempSync(join(directory, 'repair-'));
    const location = join(copy, 'db');
    cpSync(databaseFolder(directory), location, { recursive: true });
    await repairLevel(location);
    const items = await readObjects(location);
    writeFileSync(file, `${JSON.stringify({ kind: 'List', apiVersion: 'v1', items }, undefined, 1)}\n`, {
      mode: 0o600,
    });
    return { file, objects: items.length };
  } catch {
    // The caller's error reports the damage; without an export there is nothing to add.
    return undefined;
  } finally {
    if (copy !== undefined) rmSync(copy, { recursive: true, force: true });
  }
}

async function readObjects(location: string): Promise<readonly unknown[]> {
  const database = await openLevel(location);
  try {
    const items: unknown[] = [];
    for await (const [key, value] of database.iterator()) {
      const record = key.startsWith(objectPrefix) && decodeRecord(key.slice(objectPrefix.length), value);
      const object = record && objectIn(record.object.bytes);
      if (object) items.push(object);
    }
    return items;
  } finally {
    await database.close();
  }
}

/** Returns the object in a stored value, or undefined if the value is not JSON: a claim's value is the key of its owner. */
function objectIn(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString());
  } catch {
    // Not an object: there is nothing to export.
    return undefined;
  }
}
