import { KubewrightError } from '@kubewright/apimachinery';

/**
 * The revisioned store behind the API server. It has one increasing revision over all keys, compare-and-swap commits, lists at a
 * revision, and watches that miss nothing between their start revision and now.
 *
 * Several servers can share one storage, in one process or in several. A revision is visible to reads and watches only
 * once it is durable. History is bounded; older history is compacted. Every implementation must pass
 * `storage.contract.ts`.
 *
 * Values never contain their revision: the layer above writes it into `metadata.resourceVersion` when it serves an object.
 *
 * @example
 * ```ts
 * import type { Storage } from '@kubewright/apiserver';
 *
 * async function isEmpty(storage: Storage, prefix: string): Promise<boolean> {
 *   const { objects } = await storage.list({ prefix, limit: 1 });
 *   return objects.length === 0;
 * }
 * ```
 */
export interface Storage extends AsyncDisposable {
  /** Returns the newest visible revision, no older than the last commit of any client. */
  revision(): Promise<number>;
  /** Reads one key at the newest revision. */
  get(key: string): Promise<StoredObject | undefined>;
  /**
   * Lists the keys with a prefix, in byte order.
   *
   * @throws {@link CompactedError} if the requested revision is no longer available.
   * @throws {@link FutureRevisionError} if the requested revision does not exist yet.
   */
  list(options: StorageListOptions): Promise<StorageList>;
  /**
   * Commits all writes in one revision, or none of them. Each key may be written once per commit, and only existing keys can be
   * deleted.
   *
   * @throws {@link RevisionMismatchError} when a key's revision is not the expected one; nothing was written.
   * @throws {@link CommitTooLargeError} for more than 128 writes, or when keys and values together are larger than 1.5 MiB;
   * nothing was written.
   * @throws {@link StorageFullError} when the write would add to a full storage; nothing was written.
   */
  commit(writes: readonly StorageWrite[]): Promise<Commit>;
  /**
   * Delivers every change with the given prefix and a revision greater than `fromRevision` to `handler`, in order,
   * until the watch is disposed. One call can deliver all changes of one turn of the event loop. The handler must not
   * throw or wait.
   *
   * @throws {@link CompactedError} if history no longer reaches back to `fromRevision`.
   */
  watch(options: StorageWatchOptions, handler: (changes: readonly StorageChange[]) => void): Promise<StorageWatch>;
}

/** One key's value at one revision. Immutable, so the identity of its bytes can serve as a cache key. */
export interface StoredObject {
  readonly key: string;
  /** The object's JSON, without the resourceVersion. Never modified. */
  readonly bytes: Uint8Array;
  /** Revision of the write that produced this value; served as `metadata.resourceVersion`. */
  readonly revision: number;
}

/** Options for {@link Storage.list}. */
export interface StorageListOptions {
  /** Must end in `/`. */
  readonly prefix: string;
  /** A past revision to read at. @defaultValue the newest */
  readonly revision?: number | undefined;
  /** Continues after this key (exclusive). */
  readonly after?: string | undefined;
  /** Maximum number of objects. */
  readonly limit?: number | undefined;
  /** Also counts the keys after the last returned key, which may cost as much as listing them. @defaultValue false */
  readonly count?: boolean | undefined;
}

/** Result of {@link Storage.list}. */
export interface StorageList {
  readonly objects: readonly StoredObject[];
  /** The revision of the list. */
  readonly revision: number;
  /** True if keys with the prefix follow the last returned key. */
  readonly more: boolean;
  /** Number of keys with the prefix after the last returned key; absent if it was not requested or is unknown. */
  readonly remaining?: number | undefined;
}

/** One write of a commit. */
export interface StorageWrite {
  readonly key: string;
  /** The key's expected current revision; 0 means that the key must not exist. */
  readonly expected: number;
  /** The new value; `undefined` deletes the key. The storage keeps it, so it must not be modified afterwards. */
  readonly bytes: Uint8Array | undefined;
  /** Time after which the storage deletes the key, unless the key is written again. @defaultValue never */
  readonly ttlSeconds?: number | undefined;
}

/** Result of a commit. */
export interface Commit {
  readonly revision: number;
  /** The new values, in the order of the writes; `undefined` for a deleted key. */
  readonly objects: readonly (StoredObject | undefined)[];
}

/** Options for {@link Storage.watch}. */
export interface StorageWatchOptions {
  /** Must end in `/`. */
  readonly prefix: string;
  readonly fromRevision: number;
  /**
   * Called once if the storage cannot continue the watch, with {@link CompactedError} for lost history. List again, then watch
   * from the list's revision. In-process stores never call it.
   */
  readonly onLost?: ((error: unknown) => void) | undefined;
}

/** A running watch; disposing it ends the deliveries. */
export interface StorageWatch extends Disposable {
  /**
   * Waits until every change that was visible at the time of the call has been delivered. Returns a revision up to which all
   * changes have been delivered: at least the storage's revision at the time of the call.
   */
  synced(): Promise<number>;
}

/** One change of one key. `current` is absent if the key was deleted, `previous` if it was created. */
export interface StorageChange {
  readonly key: string;
  readonly revision: number;
  readonly current: StoredObject | undefined;
  readonly previous: StoredObject | undefined;
}

/** Thrown if a key's revision differs from the expected revision. Read again and retry. */
export class RevisionMismatchError extends KubewrightError {
  override readonly name = 'RevisionMismatchError';
  readonly code = 'KW5001';
  readonly key: string;
  readonly actual: StoredObject | undefined;

  constructor(key: string, actual: StoredObject | undefined) {
    super({
      what: `cannot write ${key}`,
      why: actual ? `the current revision of the object is ${actual.revision}` : 'the object does not exist',
      remedy: 'read the object again and retry',
    });
    this.key = key;
    this.actual = actual;
  }
}

/** Thrown if a commit exceeds a size limit. Store less; a retry fails the same way. */
export class CommitTooLargeError extends KubewrightError {
  override readonly name = 'CommitTooLargeError';
  readonly code = 'KW5005';

  constructor(size: number, { limit, unit }: { readonly limit: number | undefined; readonly unit: 'bytes' | 'keys' }) {
    super({
      what: `cannot write ${size} ${unit}`,
      why:
        limit === undefined
          ? 'the storage server rejects the request as too large'
          : `a commit is limited to ${limit} ${unit}`,
      remedy: 'store smaller objects',
    });
  }
}

/** Thrown if the storage has reached its size limit. Delete objects or raise the limit, then retry. */
export class StorageFullError extends KubewrightError {
  override readonly name = 'StorageFullError';
  readonly code = 'KW5006';

  constructor(maxBytes: number | undefined) {
    super({
      what: 'the storage is full',
      why: maxBytes === undefined ? 'the storage has reached its size limit' : `the size limit is ${maxBytes} bytes`,
      remedy: 'delete objects, or raise the size limit',
    });
  }
}

/** Thrown if the requested revision has been compacted. List again, then watch from the list's revision. */
export class CompactedError extends KubewrightError {
  override readonly name = 'CompactedError';
  readonly code = 'KW5002';
  readonly compactedRevision: number;

  constructor(requested: number, compactedRevision: number) {
    super({
      what: `revision ${requested} has been compacted`,
      why: `the oldest available revision is ${compactedRevision}`,
      remedy: 'list again',
    });
    this.compactedRevision = compactedRevision;
  }
}

/**
 * Thrown if a list requests a revision that does not exist yet. Wait until {@link Storage.revision} returns that
 * revision.
 */
export class FutureRevisionError extends KubewrightError {
  override readonly name = 'FutureRevisionError';
  readonly code = 'KW5003';
  readonly revision: number;

  constructor(requested: number, revision: number) {
    super({
      what: `revision ${requested} does not exist yet`,
      why: `the current revision is ${revision}`,
      remedy: 'wait for this revision, or list without a revision',
    });
    this.revision = revision;
  }
}

/** Thrown if the storage has been disposed. */
export class StorageClosedError extends KubewrightError {
  override readonly name = 'StorageClosedError';
  readonly code = 'KW5004';

  constructor() {
    super({ what: 'the storage is closed' });
  }
}
