import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** The last attempt to archive a file, if it failed. */
export interface ArchiveFailure {
  readonly file: string;
  readonly time: string;
  readonly message: string;
}

/** Keeps a failure next to the file with the location of the archive, for the status of the instance. */
export async function reportFailure(locationFile: string, failure: ArchiveFailure): Promise<void> {
  const path = pathFor(locationFile);
  // If the disk is full, the failure is still in PostgreSQL's log.
  await writeFile(`${path}.new`, JSON.stringify(failure))
    .then(() => rename(`${path}.new`, path))
    .catch(() => undefined);
}

/** Forgets a failure, after a success. */
export async function clearFailure(locationFile: string): Promise<void> {
  await rm(pathFor(locationFile), { force: true }).catch(() => undefined);
}

/** Returns the failure of the last attempt; undefined if it succeeded. */
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
