import { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { ArchiveError } from './archive-error.ts';
import type { ArchiveStore } from './archive-store.ts';
import type { SystemIdentity } from './system-identity.ts';

/** The file that records which database owns the archive. */
const ownerFile = 'system.json';

/** The file that records which cluster archives that database. Clones of its volumes are the same database. */
const clusterFile = 'cluster.json';

/**
 * Checks that a database and its cluster own the archive. An empty archive is claimed for both.
 *
 * @throws ArchiveError with the reason `Conflict` if another database or another cluster owns the archive
 */
export async function ensureOwner(
  store: ArchiveStore,
  {
    identity,
    cluster,
    signal,
  }: {
    readonly identity: SystemIdentity;
    /** ID of the cluster. Undefined until the operator has assigned it. */
    readonly cluster: string | undefined;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const owner = (await readOwner(store, signal)) ?? (await claim(store, { identity, signal }));
  if (owner?.systemID !== identity.systemID) {
    throw new ArchiveError(
      'Conflict',
      `the archive belongs to database system ${owner?.systemID}, not to database system ${identity.systemID}; use another path`,
    );
  }
  if (owner.copy !== identity.copy) {
    const why = 'one copy was restored from a backup of the other copy';
    throw new ArchiveError(
      'Conflict',
      `the archive belongs to another copy of this database (${why}); use another path`,
    );
  }
  if (cluster !== undefined) await ensureCluster(store, { cluster, signal });
}

/** Checks that no other cluster archives a clone of the database's volumes. The first cluster claims the archive. */
async function ensureCluster(
  store: ArchiveStore,
  { cluster, signal }: { readonly cluster: string; readonly signal: AbortSignal },
): Promise<void> {
  let found = await readCluster(store, signal);
  if (found === undefined) {
    const isFirst = await store.put(clusterFile, Readable.from([Buffer.from(JSON.stringify({ cluster }))]), { signal });
    found = isFirst ? cluster : await readCluster(store, signal);
  }
  if (found === cluster) return;
  const why = "one of them runs on clones of the other one's volumes";
  throw new ArchiveError(
    'Conflict',
    `the archive belongs to another cluster with the same database (${why}); use another path, or, if the other cluster no longer exists, delete ${clusterFile} from the archive`,
  );
}

/** Returns the ID of the cluster that archives here, or undefined if no cluster has claimed the archive. */
export async function readCluster(store: ArchiveStore, signal: AbortSignal): Promise<string | undefined> {
  const content = await store.get(clusterFile, { signal });
  // Written by `ensureCluster`.
  return content ? ((await json(content)) as { readonly cluster: string }).cluster : undefined;
}

/**
 * Checks that the archive is empty. Called before a new database system is created.
 *
 * @throws ArchiveError with the reason `Conflict` if it is not empty
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
  { identity, signal }: { readonly identity: SystemIdentity; readonly signal: AbortSignal },
): Promise<SystemIdentity | undefined> {
  // Only an empty archive can be claimed. If it is not empty, another instance may have just claimed it.
  for await (const { name } of store.list('', { signal })) {
    const owner = await readOwner(store, signal);
    if (owner !== undefined) return owner;
    throw new ArchiveError('Conflict', `the archive contains ${name}, but no ${ownerFile}; use another path`);
  }
  const isFirst = await store.put(ownerFile, Readable.from([Buffer.from(JSON.stringify(identity))]), { signal });
  return isFirst ? identity : readOwner(store, signal);
}

async function readOwner(store: ArchiveStore, signal: AbortSignal): Promise<SystemIdentity | undefined> {
  const content = await store.get(ownerFile, { signal });
  // Written by `claim`.
  return content ? ((await json(content)) as SystemIdentity) : undefined;
}
