import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readSystemID } from './control-file.ts';

/** Identifies the database that owns an archive. */
export interface SystemIdentity {
  /** The system identifier. `initdb` chooses it, and all physical copies share it. */
  readonly systemID: string;
  /** Set in a restored database, to distinguish it from the original, which may still be running. */
  readonly copy?: string;
}

/** File with {@link SystemIdentity.copy}. It is in the data directory, so that replicas copy it, too. */
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

/** Marks a restored data directory as a copy, so that its server cannot write to the original's archive. */
export async function markAsCopy(dataDirectory: string, copy: string): Promise<void> {
  await writeFile(join(dataDirectory, copyFile), `${copy}\n`, { mode: 0o600, flush: true });
}
