import { CommitTooLargeError, RevisionMismatchError, type StorageWrite, type StoredObject } from './storage.ts';

/** Maximum size of a commit's keys and values, in bytes: etcd's default for `--max-request-bytes`. */
const maxBytes = 1.5 * 1024 * 1024;
/** Maximum number of writes in a commit: etcd's default for `--max-txn-ops`. */
const maxWrites = 128;

/**
 * Checks a commit as far as possible without reading the storage.
 *
 * @throws TypeError if there is no write, or two writes of one key; {@link CommitTooLargeError} if the commit is too large.
 */
export function checkCommit(writes: readonly StorageWrite[]): void {
  if (writes.length === 0) throw new TypeError('a commit must contain at least one write');
  if (writes.length > maxWrites) throw new CommitTooLargeError(writes.length, { limit: maxWrites, unit: 'keys' });
  if (writes.length > 1 && new Set(writes.map(({ key }) => key)).size < writes.length) {
    throw new TypeError('a commit must not write a key twice');
  }
  for (const { key, bytes, expected } of writes) {
    if (!bytes && expected === 0) throw new TypeError(`cannot delete ${key}: its expected revision is 0`);
  }
  const size = sizeOfCommit(writes);
  if (size > maxBytes) throw new CommitTooLargeError(size, { limit: maxBytes, unit: 'bytes' });
}

/** Returns the size of the keys and values that a commit writes, in bytes. */
export function sizeOfCommit(writes: readonly StorageWrite[]): number {
  return writes.reduce((sum, { key, bytes }) => sum + (bytes ? key.length + bytes.length : 0), 0);
}

/** Checks that a key has the expected revision. @throws {@link RevisionMismatchError} if the revisions differ */
export function checkExpected({ key, expected }: StorageWrite, actual: StoredObject | undefined): void {
  if ((actual?.revision ?? 0) !== expected) throw new RevisionMismatchError(key, actual);
}

/** Returns the size of a stored object, in bytes. */
export function sizeOf(object: StoredObject | undefined): number {
  return object ? object.key.length + object.bytes.length : 0;
}
