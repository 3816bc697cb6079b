import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** A failure of the last attempt to archive a file. */
export interface ArchiveFailure {
  readonly file: string;
  readonly time: string;
  readonly message: string;
}

/** Saves a failure next to the archive's location file, so that the instance manager can report it. */
export async function reportFailure(locationFile: string, failure: ArchiveFailure): Promise<void> {
  const path = pathFor(locationFile);
  // Best effort: if the disk is full, PostgreSQL's log still has the failure.
  await writeFile(`${path}.new`, JSON.stringify(failure))
    .then(() => rename(`${path}.new`, path))
    .catch(() => undefined);
}

/** Deletes the saved failure after a success. */
export async function clearFailure(locationFile: string): Promise<void> {
  await rm(pathFor(locationFile), { force: true }).catch(() => undefined);
}

/** Returns the failure of the last attempt, or undefined if it succeeded. */
export async function readFailure(locationFile: string): Promise<ArchiveFailure | undefined> {
  try {
    // Written by `reportFailure`.
    return JSON.parse(await readFile(pathFor(locationFile), 'utf8')) as ArchiveFailure;
  } catch {
    // No failure.
    return undefined;
  }
}

function pathFor(locationFile: string): string {
  return join(dirname(locationFile), 'archive-failure.json');
}
