import type { Clock, Timer } from '@kubewright/apimachinery';
import { ChangeHistory } from './change-history.ts';
import type { KeyVersion } from './key-entry.ts';
import { KeyTree } from './key-tree.ts';
import {
  type Commit,
  CommitTooLargeError,
  CompactedError,
  FutureRevisionError,
  RevisionMismatchError,
  type Storage,
  type StorageChange,
  StorageClosedError,
  StorageFullError,
  type StorageList,
  type StorageListOptions,
  type StorageWatchOptions,
  type StorageWrite,
  type StoredObject,
} from './storage.ts';
import { Subscriptions } from './subscriptions.ts';

/** Options for {@link MemoryStorage}. */
export interface MemoryStorageOptions {
  readonly clock: Clock;
  /** How long history is kept, in milliseconds. @defaultValue 5 minutes */
  readonly historyMs?: number | undefined;
  /** How much superseded content is kept in history, in bytes. @defaultValue 64 MiB */
  readonly historyBytes?: number | undefined;
  /**
   * How much the current values and their keys may take, in bytes; etcd's `--quota-backend-bytes`. Writes that would exceed it
   * are refused, so runaway controllers cannot exhaust the process's memory. Deletes, and writes that add nothing, are always
   * accepted.
   *
   * @defaultValue 512 MiB
   */
  readonly maxBytes?: number | undefined;
  /** The revision before the first write; older revisions are treated as compacted. @defaultValue 1 */
  readonly initialRevision?: number | undefined;
  /** Called with errors thrown by watch handlers. @defaultValue rethrows in a microtask, which ends the process */
  readonly onWatcherFault?: ((error: unknown) => void) | undefined;
}

/** Default fault handler: rethrows, so the error is not lost. */
function throwLater(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}

/** The largest commit, in bytes of keys and values. Same as etcd's `--max-request-bytes`. */
const MAX_COMMIT_BYTES = 1.5 * 1024 * 1024;

/** Cost of a history record in bytes, excluding the content it keeps alive (measured: four small objects). */
const RECORD_BYTES = 256;

function sizeOf(object: StoredObject | undefined): number {
  return object ? object.key.length + object.bytes.length : 0;
}

/**
 * A {@link Storage} in the memory of this process, durable as long as the process lives. A commit is complete when the call
 * returns; only its result is a promise. Old versions hang off the new ones and are removed by revision.
 *
 * @example
 * ```ts
 * await using storage = new MemoryStorage({ clock: systemClock });
 * const { revision } = await storage.commit([{ key: '/registry/a', expected: 0, encode: () => Buffer.from('{}') }]);
 * using watch = storage.watch({ prefix: '/registry/', fromRevision: revision }, (changes) => {
 *   for (const { key } of changes) console.log(key);
 * });
 * ```
 */
export class MemoryStorage implements Storage {
  readonly #clock: Clock;
  readonly #historyMs: number;
  readonly #tree = new KeyTree();
  readonly #history: ChangeHistory;
  readonly #subscriptions: Subscriptions;
  #revision: number;
  readonly #maxBytes: number;
  #compacted = 0;
  /** The size of all keys and current values, in bytes. */
  #bytes = 0;
  #timer: Timer | undefined;
  #closed = false;

  constructor(options: MemoryStorageOptions) {
    this.#clock = options.clock;
    this.#subscriptions = new Subscriptions(options.onWatcherFault ?? throwLater);
    this.#historyMs = options.historyMs ?? 5 * 60_000;
    this.#maxBytes = options.maxBytes ?? 512 * 1024 * 1024;
    this.#history = new ChangeHistory({
      maxAgeMs: this.#historyMs,
      maxBytes: options.historyBytes ?? 64 * 1024 * 1024,
    });
    // Real stores start at 1, so an empty list never carries resourceVersion 0, which means "any".
    this.#revision = options.initialRevision ?? 1;
    if (this.#revision > 1) this.#compacted = this.#revision;
  }

  get revision(): number {
    return this.#revision;
  }

  get compactedRevision(): number {
    return this.#compacted;
  }

  async get(key: string): Promise<StoredObject | undefined> {
    this.#assertOpen();
    return this.#tree.get(key)?.head.object;
  }

  async list(options: StorageListOptions): Promise<StorageList> {
    this.#assertOpen();
    const revision = options.revision ?? this.#revision;
    if (revision > this.#revision) throw new FutureRevisionError(revision, this.#revision);
    if (revision < this.#compacted) throw new CompactedError(revision, this.#compacted);
    return { ...this.#tree.list({ ...options, revision }), revision };
  }

  async commit(writes: readonly StorageWrite[]): Promise<Commit> {
    this.#assertOpen();
    this.#check(writes);
    const revision = this.#revision + 1;
    const objects = writes.map(({ key, encode }) => (encode ? { key, bytes: encode(revision), revision } : undefined));
    const size = objects.reduce((sum, object) => sum + sizeOf(object), 0);
    if (size > MAX_COMMIT_BYTES) throw new CommitTooLargeError(size, MAX_COMMIT_BYTES);
    const added = size - writes.reduce((sum, { key }) => sum + sizeOf(this.#tree.get(key)?.head.object), 0);
    if (added > 0 && this.#bytes + added > this.#maxBytes) throw new StorageFullError(this.#maxBytes);
    this.#bytes += added;
    this.#revision = revision;
    const atMs = this.#clock.monotonic();
    const changes = writes.map(({ key }, index) => this.#apply(key, { revision, object: objects[index], atMs }));
    this.#compactUntil(atMs);
    this.#subscriptions.publish(changes);
    return { revision, objects };
  }

  watch(options: StorageWatchOptions, handler: (changes: readonly StorageChange[]) => void): Disposable {
    this.#assertOpen();
    const { prefix, fromRevision } = options;
    if (fromRevision < this.#compacted) throw new CompactedError(fromRevision, this.#compacted);
    const past = this.#history.since(prefix, fromRevision);
    const delivered = Math.max(fromRevision, this.#revision);
    if (past.length > 0) handler(past);
    return this.#subscriptions.add({ prefix, fromRevision: delivered }, handler);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    this.#subscriptions.clear();
  }

  #check(writes: readonly StorageWrite[]): void {
    if (writes.length === 0) throw new TypeError('a commit must contain at least one write');
    if (writes.length > 1 && new Set(writes.map(({ key }) => key)).size < writes.length) {
      throw new TypeError('a commit must not write a key twice');
    }
    for (const { key, expected, encode } of writes) {
      const actual = this.#tree.get(key)?.head.object;
      if ((actual?.revision ?? 0) !== expected) throw new RevisionMismatchError(key, actual);
      if (!actual && !encode) throw new TypeError(`deleting ${key}, which does not exist`);
    }
  }

  #apply(
    key: string,
    write: { readonly revision: number; readonly object: StoredObject | undefined; readonly atMs: number },
  ): StorageChange {
    const { revision, object, atMs } = write;
    const version: KeyVersion = { revision, object, previous: undefined };
    const entry = this.#tree.put(key, version);
    const previous = (version.previous as KeyVersion | undefined)?.object; // set by put()
    const change: StorageChange = { key, revision, current: object, previous };
    this.#history.add({ change, entry, version, atMs, cost: RECORD_BYTES + (previous?.bytes.length ?? 0) });
    return change;
  }

  #compactUntil(nowMs: number): void {
    for (let records = this.#history.takeExpired(nowMs); records; records = this.#history.takeExpired(nowMs)) {
      for (const { entry, version, change } of records) {
        this.#tree.compact(entry, version);
        this.#compacted = change.revision;
      }
    }
    const oldestAtMs = this.#history.oldestAtMs;
    if (this.#timer || oldestAtMs === undefined) return;
    const wake = (): void => {
      this.#timer = undefined;
      this.#compactUntil(this.#clock.monotonic());
    };
    this.#timer = this.#clock.setTimer(oldestAtMs + this.#historyMs - nowMs, wake, { unref: true });
  }

  #assertOpen(): void {
    if (this.#closed) throw new StorageClosedError();
  }
}
