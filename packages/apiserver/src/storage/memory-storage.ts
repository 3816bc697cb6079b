import type { Clock } from '@kubewright/apimachinery';
import { checkCommit, checkExpected, sizeOf } from './check-commit.ts';
import { Expiries, type ExpiringKey } from './expiries.ts';
import { localWatch, RevisionedKeys } from './revisioned-keys.ts';
import {
  type Commit,
  type Storage,
  type StorageChange,
  StorageClosedError,
  StorageFullError,
  type StorageList,
  type StorageListOptions,
  type StorageWatch,
  type StorageWatchOptions,
  type StorageWrite,
  type StoredObject,
} from './storage.ts';

/** Options for {@link MemoryStorage}. */
export interface MemoryStorageOptions {
  readonly clock: Clock;
  /** Time for which history is kept, in milliseconds. @defaultValue 5 minutes */
  readonly historyMs?: number | undefined;
  /** Maximum size of superseded content in history, in bytes. @defaultValue 64 MiB */
  readonly historyBytes?: number | undefined;
  /**
   * Maximum size of the current values and their keys, in bytes; etcd's `--quota-backend-bytes`. Writes that would
   * exceed the limit are rejected, so runaway controllers cannot exhaust the process's memory. Deletes, and writes that
   * add nothing, are always accepted.
   *
   * @defaultValue 512 MiB
   */
  readonly maxBytes?: number | undefined;
  /** The revision before the first write; older revisions are treated as compacted. @defaultValue 1 */
  readonly initialRevision?: number | undefined;
  /** The objects at the initial revision; their full time to live, if any, starts now. @defaultValue none */
  readonly objects?: readonly (StoredObject & { readonly ttlSeconds?: number })[] | undefined;
  /** Called with errors thrown by watch handlers. @defaultValue rethrows in a microtask, which ends the process */
  readonly onWatcherFault?: ((error: unknown) => void) | undefined;
}

/**
 * A {@link Storage} in memory, lost when the process exits. A commit takes effect before the call returns; only its result is a
 * promise.
 *
 * @example
 * ```ts
 * await using storage = new MemoryStorage({ clock: systemClock });
 * const { revision } = await storage.commit([{ key: '/registry/a', expected: 0, bytes: Buffer.from('{}') }]);
 * using watch = await storage.watch({ prefix: '/registry/', fromRevision: revision }, (changes) => {
 *   for (const { key } of changes) console.log(key);
 * });
 * ```
 */
export class MemoryStorage implements Storage {
  readonly #maxBytes: number;
  readonly #keys: RevisionedKeys;
  readonly #expiries: Expiries;
  /** The size of all keys and current values, in bytes. */
  #bytes = 0;
  #closed = false;

  constructor(options: MemoryStorageOptions) {
    this.#maxBytes = options.maxBytes ?? 512 * 1024 * 1024;
    // Real stores start at 1, so an empty list never has resourceVersion 0, which means "any".
    const revision = options.initialRevision ?? 1;
    const { objects = [] } = options;
    this.#keys = new RevisionedKeys(options, { revision, compacted: revision > 1 ? revision : 0, objects });
    this.#expiries = new Expiries(options.clock, async (due) => this.#expire(due));
    for (const object of objects) {
      this.#bytes += sizeOf(object);
      this.#setLife(object, object.ttlSeconds);
    }
  }

  async revision(): Promise<number> {
    this.#assertOpen();
    return this.#keys.revision;
  }

  async get(key: string): Promise<StoredObject | undefined> {
    this.#assertOpen();
    return this.#keys.get(key);
  }

  async list(options: StorageListOptions): Promise<StorageList> {
    this.#assertOpen();
    return this.#keys.list(options);
  }

  async commit(writes: readonly StorageWrite[]): Promise<Commit> {
    this.#assertOpen();
    checkCommit(writes);
    let added = 0;
    for (const write of writes) {
      const actual = this.#keys.get(write.key);
      checkExpected(write, actual);
      added += (write.bytes ? write.key.length + write.bytes.length : 0) - sizeOf(actual);
    }
    if (added > 0 && this.#bytes + added > this.#maxBytes) throw new StorageFullError(this.#maxBytes);
    this.#bytes += added;
    const revision = this.#keys.revision + 1;
    const objects = writes.map(({ key, bytes }) => (bytes ? { key, bytes, revision } : undefined));
    this.#keys.apply(
      revision,
      writes.map(({ key }, index) => ({ key, object: objects[index] })),
    );
    for (const { key, bytes, ttlSeconds } of writes) this.#setLife({ key, revision }, bytes && ttlSeconds);
    return { revision, objects };
  }

  async watch(
    options: StorageWatchOptions,
    handler: (changes: readonly StorageChange[]) => void,
  ): Promise<StorageWatch> {
    this.#assertOpen();
    return localWatch(this.#keys.watch(options, handler), () => this.#keys.revision);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    this.#expiries[Symbol.dispose]();
    this.#keys[Symbol.dispose]();
  }

  #setLife(key: ExpiringKey, ttlSeconds: number | undefined): void {
    if (ttlSeconds === undefined) this.#expiries.delete(key.key);
    else this.#expiries.set(key, { ttlSeconds });
  }

  async #expire(due: readonly ExpiringKey[]): Promise<void> {
    const writes = due
      .filter(({ key, revision }) => this.#keys.get(key)?.revision === revision)
      .map(({ key, revision }) => ({ key, expected: revision, bytes: undefined }));
    if (writes.length > 0 && !this.#closed) await this.commit(writes);
  }

  #assertOpen(): void {
    if (this.#closed) throw new StorageClosedError();
  }
}
