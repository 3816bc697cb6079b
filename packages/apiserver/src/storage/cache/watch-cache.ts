import type { RevisionedKeysOptions } from '../revisioned-keys.ts';
import type {
  Commit,
  Storage,
  StorageChange,
  StorageList,
  StorageListOptions,
  StorageWatch,
  StorageWatchOptions,
  StorageWrite,
  StoredObject,
} from '../storage.ts';
import { StorageNotReadyError } from '../storage-not-ready-error.ts';
import { ResourceCache } from './resource-cache.ts';
import { resourcePrefix } from './resource-prefix.ts';

/** Options for {@link WatchCache}. */
export interface WatchCacheOptions extends RevisionedKeysOptions {
  /** Called when a relist of a resource's cache fails; the relist is then retried. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/**
 * Serves lists and watches of a storage in another process from memory, with one watch on the storage per resource, regardless of
 * the number of readers. A resource is cached from its first list or watch on. Lists are never stale: they wait until the cache
 * has reached the storage's current revision. Single objects are read from the storage. While a cache catches up after a lost
 * watch, lists are read from the storage and new watches are rejected, as in kube-apiserver (1.36).
 */
export class WatchCache implements Storage {
  readonly #storage: Storage;
  readonly #options: WatchCacheOptions;
  readonly #caches = new Map<string, Promise<ResourceCache>>();
  readonly #ready = new Map<string, ResourceCache>();

  /** @param storage - owned by the cache and disposed with it. */
  constructor(storage: Storage, options: WatchCacheOptions) {
    this.#storage = storage;
    this.#options = options;
  }

  revision(): Promise<number> {
    return this.#storage.revision();
  }

  async get(key: string): Promise<StoredObject | undefined> {
    const stored = await this.#storage.get(key);
    // Return the cached bytes if they are current: readers cache decoded objects by the identity of their bytes.
    const known = stored && this.#ready.get(resourcePrefix(key) ?? '')?.get(key);
    return known?.revision === stored?.revision ? known : stored;
  }

  async list(options: StorageListOptions): Promise<StorageList> {
    const prefix = resourcePrefix(`${options.prefix}x`);
    if (prefix === undefined) return this.#storage.list(options);
    const cache = await this.#cache(prefix);
    if (options.revision !== undefined && !cache.reachesBackTo(options.revision)) return this.#storage.list(options);
    try {
      await cache.synced();
    } catch (error) {
      if (!(error instanceof StorageNotReadyError)) throw error;
      return this.#storage.list(options);
    }
    return cache.list(options);
  }

  async commit(writes: readonly StorageWrite[]): Promise<Commit> {
    const commit = await this.#storage.commit(writes);
    // Wait until all readers of the cache, such as the index of roles, have observed the write. If the wait times out, the write has
    // still succeeded.
    const prefixes = new Set(writes.map(({ key }) => resourcePrefix(key) ?? ''));
    await Promise.all([...prefixes].map((prefix) => this.#ready.get(prefix)?.reached(commit.revision)));
    return commit;
  }

  async watch(
    options: StorageWatchOptions,
    handler: (changes: readonly StorageChange[]) => void,
  ): Promise<StorageWatch> {
    const prefix = resourcePrefix(`${options.prefix}x`);
    const cache = prefix === undefined ? undefined : await this.#cache(prefix, options.fromRevision);
    if (cache?.isReady === false) throw new StorageNotReadyError(options.prefix);
    if (!cache?.reachesBackTo(options.fromRevision)) return this.#storage.watch(options, handler);
    return cache.watch(options, handler);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const caches = [...this.#caches.values()];
    this.#caches.clear();
    this.#ready.clear();
    for (const cache of await Promise.allSettled(caches)) {
      if (cache.status === 'fulfilled') cache.value[Symbol.dispose]();
    }
    await this.#storage[Symbol.asyncDispose]();
  }

  #cache(prefix: string, fromRevision?: number): Promise<ResourceCache> {
    const known = this.#caches.get(prefix);
    if (known) return known;
    const starting = this.#start(prefix, fromRevision);
    this.#caches.set(prefix, starting);
    starting.catch(() => this.#forget(prefix, starting));
    return starting;
  }

  async #start(prefix: string, fromRevision: number | undefined): Promise<ResourceCache> {
    const onError = (error: unknown): void => this.#options.onError?.(error);
    const cache = await ResourceCache.start({
      ...this.#options,
      storage: this.#storage,
      prefix,
      fromRevision,
      onError,
    });
    if (this.#caches.has(prefix)) this.#ready.set(prefix, cache);
    return cache;
  }

  #forget(prefix: string, cache: Promise<ResourceCache>): void {
    if (this.#caches.get(prefix) !== cache) return;
    this.#caches.delete(prefix);
    this.#ready.delete(prefix);
  }
}
