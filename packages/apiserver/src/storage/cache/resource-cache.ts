import { Buffer } from 'node:buffer';
import { retryWithBackoff } from '../retry-with-backoff.ts';
import { localWatch, RevisionedKeys, type RevisionedKeysOptions } from '../revisioned-keys.ts';
import {
  CompactedError,
  FutureRevisionError,
  type Storage,
  type StorageChange,
  type StorageList,
  type StorageListOptions,
  type StorageWatch,
  type StorageWatchOptions,
  type StoredObject,
} from '../storage.ts';
import { StorageNotReadyError } from '../storage-not-ready-error.ts';
import { RevisionWaiters } from './revision-waiters.ts';

/** Options for {@link ResourceCache.start}. */
export interface ResourceCacheOptions extends RevisionedKeysOptions {
  readonly storage: Storage;
  readonly prefix: string;
  /** First revision of the history to cache, if storage still has it. @defaultValue the current revision */
  readonly fromRevision?: number | undefined;
  /** Called when a relist after a lost watch fails; the relist is then retried. */
  readonly onError: (error: unknown) => void;
}

/**
 * Caches all objects of one resource and their recent history, kept up to date by one watch of storage. If storage loses the
 * watch, the cache is not ready until a relist succeeds.
 */
export class ResourceCache implements Disposable {
  readonly #options: ResourceCacheOptions;
  readonly #keys: RevisionedKeys;
  readonly #waiters: RevisionWaiters;
  readonly #ended = new AbortController();
  /** Undefined while the cache may have missed changes. */
  #watch: StorageWatch | undefined;

  private constructor(options: ResourceCacheOptions, { revision, objects }: StorageList) {
    this.#options = options;
    this.#keys = new RevisionedKeys(options, { revision, compacted: revision, objects });
    this.#waiters = new RevisionWaiters(options.clock);
  }

  /** Lists the objects of a resource and watches them. */
  static async start(options: ResourceCacheOptions): Promise<ResourceCache> {
    const cache = new ResourceCache(options, await firstList(options));
    try {
      await cache.#follow();
      await cache.synced();
    } catch (error) {
      cache[Symbol.dispose]();
      throw error;
    }
    return cache;
  }

  /** False while the cache may have missed changes. */
  get isReady(): boolean {
    return this.#watch !== undefined;
  }

  /**
   * Waits until the cache has every change that was visible in storage at the time of the call.
   *
   * @throws StorageNotReadyError if the cache has missed changes and has not caught up yet.
   */
  async synced(): Promise<number> {
    const watch = this.#watch;
    if (!watch) throw new StorageNotReadyError(this.#options.prefix);
    let revision: number;
    try {
      revision = await watch.synced();
    } catch (error) {
      throw watch === this.#watch ? error : new StorageNotReadyError(this.#options.prefix, error);
    }
    this.#advance(revision);
    return this.#keys.revision;
  }

  /** Waits at most three seconds until the cache reaches a revision. Never rejects. */
  async reached(revision: number): Promise<void> {
    if (this.#keys.revision < revision && !this.#ended.signal.aborted) await this.#waiters.wait(revision);
  }

  get(key: string): StoredObject | undefined {
    return this.#keys.get(key);
  }

  /** Reports whether the cache has all changes since a revision. */
  reachesBackTo(revision: number): boolean {
    return revision >= this.#keys.compacted;
  }

  list(options: StorageListOptions): StorageList {
    return this.#keys.list(options);
  }

  watch(options: StorageWatchOptions, handler: (changes: readonly StorageChange[]) => void): StorageWatch {
    const local = localWatch(this.#keys.watch(options, handler), () => this.#keys.revision);
    return {
      synced: async () => {
        await this.synced();
        return local.synced();
      },
      [Symbol.dispose]: () => local[Symbol.dispose](),
    };
  }

  [Symbol.dispose](): void {
    this.#ended.abort();
    this.#watch?.[Symbol.dispose]();
    this.#keys[Symbol.dispose]();
    this.#waiters[Symbol.dispose]();
  }

  async #follow(): Promise<void> {
    const { storage, prefix } = this.#options;
    const state: { watch?: StorageWatch; lost?: { readonly error: unknown } } = {};
    const onLost = (error: unknown): void => {
      state.lost = { error };
      if (state.watch && state.watch === this.#watch) this.#recover();
    };
    const options = { prefix, fromRevision: this.#keys.revision, onLost };
    const watch = await storage.watch(options, (changes) => this.#apply(changes));
    if (state.lost || this.#ended.signal.aborted) watch[Symbol.dispose]();
    if (state.lost) throw state.lost.error;
    if (this.#ended.signal.aborted) return;
    state.watch = watch;
    this.#watch = watch;
  }

  #recover(): void {
    this.#watch?.[Symbol.dispose]();
    this.#watch = undefined;
    const { clock, onError } = this.#options;
    void retryWithBackoff(() => this.#relist(), { clock, signal: this.#ended.signal, onError });
  }

  #advance(revision: number): void {
    this.#keys.advance(revision);
    this.#waiters.advance(this.#keys.revision);
  }

  /** Applies changes, revision by revision. */
  #apply(changes: readonly StorageChange[]): void {
    for (let at = 0; at < changes.length; ) {
      const revision = changes[at]?.revision ?? 0;
      const from = at;
      while (changes[at]?.revision === revision) at++;
      this.#keys.apply(
        revision,
        changes.slice(from, at).map(({ key, current }) => ({ key, object: current })),
      );
    }
    this.#waiters.advance(this.#keys.revision);
  }

  /** Catches up after a lost watch: lists storage, and applies the differences as deletions and writes. */
  async #relist(): Promise<void> {
    const { storage, prefix } = this.#options;
    const list = await storage.list({ prefix });
    if (this.#ended.signal.aborted) return;
    const wanted = new Map(list.objects.map((object) => [object.key, object]));
    const known = this.#keys.list({ prefix }).objects;
    const gone = known.filter((object) => isReplaced(object, wanted.get(object.key)));
    const fresh = list.objects.filter(({ key, revision }) => this.#keys.get(key)?.revision !== revision);
    const deletions = gone.map(({ key }) => ({ key, object: undefined }));
    // The changes up to the list's revision are unknown, so no watch can start before that revision.
    this.#keys.compact(list.revision);
    if (deletions.length > 0) this.#keys.apply(list.revision, deletions);
    for (const object of fresh) this.#keys.apply(list.revision, [{ key: object.key, object }]);
    this.#advance(list.revision);
    await this.#follow();
  }
}

async function firstList({ storage, prefix, fromRevision }: ResourceCacheOptions): Promise<StorageList> {
  try {
    return await storage.list({ prefix, revision: fromRevision });
  } catch (error) {
    // Start from the current state instead: storage itself serves watches from other revisions.
    if (error instanceof CompactedError || error instanceof FutureRevisionError) return storage.list({ prefix });
    throw error;
  }
}

/** Reports whether an object was deleted, even if its key now holds a new object. */
function isReplaced(object: StoredObject, now: StoredObject | undefined): boolean {
  if (!now) return true;
  return now.revision !== object.revision && uidOf(now) !== uidOf(object);
}

function uidOf({ bytes }: StoredObject): string | undefined {
  const { metadata } = JSON.parse(Buffer.from(bytes).toString()) as { readonly metadata?: { readonly uid?: string } };
  return metadata?.uid;
}
