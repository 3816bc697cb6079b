import { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { ArchiveError } from './archive-error.ts';
import type { ArchiveStore } from './archive-store.ts';

/** The file that says which database system an archive belongs to. */
const ownerFile = 'system.json';

interface Owner {
  readonly systemID: string;
}

/**
 * Checks that an archive belongs to a database system. The first system that archives becomes the owner, if nothing else is in
 * the archive.
 *
 * @throws ArchiveError with the reason `Conflict` if the archive belongs to another system
 */
export async function ensureOwner(
  store: ArchiveStore,
  { systemID, signal }: { readonly systemID: string; readonly signal: AbortSignal },
): Promise<void> {
  const owner = (await readOwner(store, signal)) ?? (await claim(store, { systemID, signal }));
  if (owner !== systemID) {
    throw new ArchiveError(
      'Conflict',
      `the archive belongs to the database system ${owner}, but this one is ${systemID}; use another path`,
    );
  }
}

/**
 * Checks that an archive is empty, before a new database system is created.
 *
 * @throws ArchiveError with the reason `Conflict` if it is not
 */
export async function ensureEmpty(store: ArchiveStore, { signal }: { readonly signal: AbortSignal }): Promise<void> {
  for await (const { name } of store.list('', { signal })) {
    throw new ArchiveError(
      'Conflict',
      `the archive of a new cluster must be empty, but it contains ${name}; use another path, or delete the old archive`,
    );
  }
}

async function claim(
  store: ArchiveStore,
  { systemID, signal }: { readonly systemID: string; readonly signal: AbortSignal },
): Promise<string | undefined> {
  // An empty archive, or one whose owner has just been written.
  for await (const { name } of store.list('', { signal })) {
    const owner = await readOwner(store, signal);
    if (owner !== undefined) return owner;
    throw new ArchiveError('Conflict', `the archive contains ${name}, but no ${ownerFile}; use another path`);
  }
  const owner: Owner = { systemID };
  const isFirst = await store.put(ownerFile, Readable.from([Buffer.from(JSON.stringify(owner))]), { signal });
  return isFirst ? systemID : readOwner(store, signal);
}

async function readOwner(store: ArchiveStore, signal: AbortSignal): Promise<string | undefined> {
  const content = await store.get(ownerFile, { signal });
  if (!content) return undefined;
  // Written by `claim`.
  const { systemID } = (await json(content)) as Owner;
  return systemID;
}
