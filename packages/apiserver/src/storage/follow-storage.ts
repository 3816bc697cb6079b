import { type Clock, systemClock } from '@kubewright/apimachinery';
import { eachChange } from './each-change.ts';
import { retryWithBackoff } from './retry-with-backoff.ts';
import type { Storage, StorageChange, StorageWatch, StoredObject } from './storage.ts';

/** Options for {@link followStorage}. */
export interface FollowStorageOptions {
  /** Must end in `/`. */
  readonly prefix: string;
  readonly apply: (change: StorageChange) => void;
  /** The clock for the delays between relists. @defaultValue the system's clock */
  readonly clock?: Clock | undefined;
  /** Called when a relist fails; the relist is then retried. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/**
 * Calls `apply` for every object stored under a prefix, then for every change as soon as it becomes visible, in the
 * same turn of the event loop. Resolves once all stored objects have been applied. If the storage loses the watch,
 * retries relisting until it succeeds, then applies the differences.
 */
export async function followStorage(storage: Storage, options: FollowStorageOptions): Promise<Disposable> {
  const follower = new StorageFollower(storage, options);
  try {
    await follower.start();
  } catch (error) {
    follower[Symbol.dispose]();
    throw error;
  }
  return follower;
}

class StorageFollower implements Disposable {
  readonly #storage: Storage;
  readonly #options: FollowStorageOptions;
  readonly #known = new Map<string, StoredObject>();
  readonly #ended = new AbortController();
  #watch: StorageWatch | undefined;

  constructor(storage: Storage, options: FollowStorageOptions) {
    this.#storage = storage;
    this.#options = options;
  }

  /** Lists and watches. Called again after a lost watch. */
  async start(): Promise<void> {
    const { prefix } = this.#options;
    const { objects, revision } = await this.#storage.list({ prefix });
    if (this.#ended.signal.aborted) return;
    const stored = new Set(objects.map(({ key }) => key));
    const take = eachChange((change) => this.#take(change));
    const gone = [...this.#known.keys()].filter((key) => !stored.has(key));
    take(gone.map((key) => ({ key, revision, current: undefined, previous: undefined })));
    const news = objects.filter((object) => this.#known.get(object.key)?.revision !== object.revision);
    take(news.map((current) => ({ key: current.key, revision, current, previous: undefined })));
    await this.#follow(revision, take);
  }

  [Symbol.dispose](): void {
    this.#ended.abort();
    this.#watch?.[Symbol.dispose]();
  }

  async #follow(fromRevision: number, take: (changes: readonly StorageChange[]) => void): Promise<void> {
    const state: { watch?: StorageWatch; lost?: { readonly error: unknown } } = {};
    const onLost = (error: unknown): void => {
      state.lost = { error };
      if (state.watch && state.watch === this.#watch) this.#recover();
    };
    const watch = await this.#storage.watch({ prefix: this.#options.prefix, fromRevision, onLost }, take);
    if (state.lost || this.#ended.signal.aborted) watch[Symbol.dispose]();
    if (state.lost) throw state.lost.error;
    state.watch = watch;
    this.#watch = watch;
  }

  #recover(): void {
    this.#watch?.[Symbol.dispose]();
    this.#watch = undefined;
    const { clock = systemClock, onError = () => undefined } = this.#options;
    void retryWithBackoff(() => this.start(), { clock, signal: this.#ended.signal, onError });
  }

  #take(change: StorageChange): void {
    const { key, current, revision } = change;
    const previous = this.#known.get(key);
    if (current) this.#known.set(key, current);
    else this.#known.delete(key);
    this.#options.apply({ key, revision, current, previous });
  }
}
