import type { Storage } from '@kubewright/apiserver';
import type { StoredObject } from '@kubewright/apiserver/internal';

/**
 * The objects of a cluster at one revision, from which other clusters can start. A snapshot shares memory with its cluster, so it
 * is cheap to take.
 */
export interface ClusterSnapshot {
  readonly revision: number;
  readonly objects: readonly (StoredObject & { readonly ttlSeconds?: number })[];
}

type StorageWrite = Parameters<Storage['commit']>[0][number];

/** Takes a snapshot of all objects. `ttls` maps the prefixes of expiring keys to their time to live in seconds. */
export async function takeSnapshot(storage: Storage, ttls: ReadonlyMap<string, number>): Promise<ClusterSnapshot> {
  const { objects, revision } = await storage.list({ prefix: '/registry/' });
  const expiring = [...ttls];
  const withTtl = (object: StoredObject): ClusterSnapshot['objects'][number] => {
    for (const [prefix, ttlSeconds] of expiring) if (object.key.startsWith(prefix)) return { ...object, ttlSeconds };
    return object;
  };
  return { revision, objects: objects.map(withTtl) };
}

/**
 * Maximum number of writes in a commit, and maximum total size of their values in bytes. The storage's own size limit
 * also counts the keys.
 */
const maxWrites = 128;
const maxBytes = 1024 * 1024;

/**
 * Restores all objects to their state in a snapshot. Objects created since the snapshot are deleted; others get their
 * old content under new revisions. Controllers see these changes like any others.
 *
 * @throws RevisionMismatchError if an object was written at the same time
 */
export async function restoreSnapshot(storage: Storage, snapshot: ClusterSnapshot): Promise<void> {
  const wanted = new Map(snapshot.objects.map((object) => [object.key, object]));
  const { objects } = await storage.list({ prefix: '/registry/' });
  const present = new Map(objects.map((object) => [object.key, object]));
  const keys = [...wanted.keys(), ...[...present.keys()].filter((key) => !wanted.has(key))];
  const changed = keys.filter((key) => {
    const [bytes, object] = [wanted.get(key)?.bytes, present.get(key)];
    return !bytes || !object || Buffer.compare(bytes, object.bytes) !== 0;
  });
  const writes = changed.map((key) => {
    const expected = present.get(key)?.revision ?? 0;
    const { bytes, ttlSeconds } = wanted.get(key) ?? {};
    return { key, expected, bytes, ttlSeconds };
  });
  for (const batch of batches(writes)) await storage.commit(batch);
}

function* batches(writes: readonly StorageWrite[]): Generator<readonly StorageWrite[]> {
  let batch: StorageWrite[] = [];
  let bytes = 0;
  for (const write of writes) {
    const size = write.bytes?.length ?? 0;
    if (batch.length === maxWrites || (batch.length > 0 && bytes + size > maxBytes)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(write);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}
