/**
 * The revisioned store behind the API server: one increasing revision over all keys, compare-and-swap commits, lists at
 * a revision, and watches that miss nothing between the revision they start at and now.
 *
 * Memory is the one implementation so far; any other has to pass `storage.contract.ts`. A revision is visible to reads
 * and watches only once it is durable. History is kept for a bounded time and size; what is older is compacted.
 */
export interface Storage extends AsyncDisposable {
  /** The newest visible revision. */
  readonly revision: number;
  /** Lists and watches below this revision fail with {@link CompactedError}. */
  readonly compactedRevision: number;

  /** Reads one key at the newest revision. */
  get(key: string): Promise<StoredObject | undefined>;
  /**
   * Reads keys with a prefix, in byte order of the keys.
   *
   * @throws {@link CompactedError} when the asked revision is no longer kept.
   * @throws {@link FutureRevisionError} when it does not exist yet.
   */
  list(options: StorageListOptions): Promise<StorageList>;
  /**
   * Writes all or nothing, in one revision. A key may be written once in a commit, and only what exists be deleted.
   *
   * @throws {@link RevisionMismatchError} when a key's revision is not the expected one; nothing was written.
   * @throws {@link CommitTooLargeError} when keys and values together are larger than 1.5 MiB; nothing was written.
   * @throws {@link StorageFullError} when the write would add to a full storage; nothing was written.
   */
  commit(writes: readonly StorageWrite[]): Promise<Commit>;
  /**
   * Delivers every change of keys with a prefix whose revision is greater than `fromRevision`, in order, to `handler`,
   * first what history holds (in this call), then live ones as they become visible, a turn's worth in one call.
   * The handler must not throw, nor wait.
   *
   * @throws {@link CompactedError} when history no longer reaches back to `fromRevision`.
   */
  watch(options: StorageWatchOptions, handler: (changes: readonly StorageChange[]) => void): Disposable;
}

/** One key's value at one revision. Immutable; identity may be used as a cache key. */
export interface StoredObject {
  readonly key: string;
  /** The object's JSON, resourceVersion included. Never modified. */
  readonly bytes: Uint8Array;
  /** Revision of the write that made this value; equals `metadata.resourceVersion`. */
  readonly revision: number;
}

/** Options of {@link Storage.list}. */
export interface StorageListOptions {
  /** Ends in `/`. */
  readonly prefix: string;
  /** A past revision to read at. @defaultValue the newest */
  readonly revision?: number | undefined;
  /** Continues after this key (exclusive). */
  readonly after?: string | undefined;
  /** At most so many. */
  readonly limit?: number | undefined;
}

/** Answer of {@link Storage.list}. */
export interface StorageList {
  readonly objects: readonly StoredObject[];
  /** The revision that was read at. */
  readonly revision: number;
  /** How many keys with the prefix follow the last one returned. */
  readonly remaining: number;
}

/** One key's part of a commit. */
export interface StorageWrite {
  readonly key: string;
  /** Revision that the key must have now; 0 means that it must not exist. */
  readonly expected: number;
  /** Makes the value, given the revision under which it will be written; `undefined` deletes the key. */
  readonly encode: ((revision: number) => Uint8Array) | undefined;
}

/** What a commit made. */
export interface Commit {
  readonly revision: number;
  /** The new values, in the order of the writes; `undefined` where a key was deleted. */
  readonly objects: readonly (StoredObject | undefined)[];
}

/** Options of {@link Storage.watch}. */
export interface StorageWatchOptions {
  readonly prefix: string;
  readonly fromRevision: number;
}

/** One change of one key. `current` is absent when the key was deleted, `previous` when it was created. */
export interface StorageChange {
  readonly key: string;
  readonly revision: number;
  readonly current: StoredObject | undefined;
  readonly previous: StoredObject | undefined;
}

/** A commit found another revision than the expected one. Read again and retry. */
export class RevisionMismatchError extends Error {
  readonly code = 'KW5001';
  readonly key: string;
  readonly actual: StoredObject | undefined;

  constructor(key: string, actual: StoredObject | undefined) {
    super(`writing ${key}: its revision is ${actual?.revision ?? 'none (it does not exist)'}; read it again and retry`);
    this.name = 'RevisionMismatchError';
    this.key = key;
    this.actual = actual;
  }
}

/** A commit holds more than the storage takes. Store less; a retry fails the same way. */
export class CommitTooLargeError extends Error {
  readonly code = 'KW5005';
  readonly bytes: number;

  constructor(bytes: number, limit: number) {
    super(`writing ${bytes} bytes: the storage takes at most ${limit} in one commit; store less`);
    this.name = 'CommitTooLargeError';
    this.bytes = bytes;
  }
}

/** The storage holds as much as it may. Delete objects or raise the limit, then retry. */
export class StorageFullError extends Error {
  readonly code = 'KW5006';

  constructor(maxBytes: number) {
    super(`the storage is full: it holds at most ${maxBytes} bytes; delete objects, or raise its limit`);
    this.name = 'StorageFullError';
  }
}

/** History no longer reaches back to the asked revision. List anew, then watch from there. */
export class CompactedError extends Error {
  readonly code = 'KW5002';
  readonly compactedRevision: number;

  constructor(asked: number, compactedRevision: number) {
    super(`revision ${asked} has been compacted; the oldest kept is ${compactedRevision}; list again`);
    this.name = 'CompactedError';
    this.compactedRevision = compactedRevision;
  }
}

/** A list was asked for at a revision that does not exist yet. Wait until {@link Storage.revision} has reached it. */
export class FutureRevisionError extends Error {
  readonly code = 'KW5003';
  readonly revision: number;

  constructor(asked: number, revision: number) {
    super(`revision ${asked} does not exist yet; the newest is ${revision}; wait for it, or list without a revision`);
    this.name = 'FutureRevisionError';
    this.revision = revision;
  }
}

/** The storage has been disposed of. */
export class StorageClosedError extends Error {
  readonly code = 'KW5004';

  constructor() {
    super('the storage is closed; nothing can be read or written any more');
    this.name = 'StorageClosedError';
  }
}
