import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readSystemID } from './control-file.ts';

/** The database that an archive belongs to. */
export interface SystemIdentity {
  /** Chosen by `initdb`, and shared by all copies. */
  readonly systemID: string;
  /** Distinguishes a database that was restored from an archive from its origin, which may still exist. */
  readonly copy?: string;
}

/** File in the data directory, so that replicas have it, too. */
export const copyFile = 'kubewright.copy';

/** Reads the identity of the database in a data directory. */
export async function readIdentity(dataDirectory: string): Promise<SystemIdentity> {
  const systemID = await readSystemID(dataDirectory);
  try {
    return { systemID, copy: (await readFile(join(dataDirectory, copyFile), 'utf8')).trim() };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { systemID };
    throw error;
  }
}

/** Writes the identity of a copy into a restored data directory: its server cannot write to the archive of its origin. */
export async function markAsCopy(dataDirectory: string, copy: string): Promise<void> {
  await writeFile(join(dataDirectory, copyFile), `${copy}\n`, { mode: 0o600, flush: true });
}
