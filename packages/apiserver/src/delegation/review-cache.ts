import type { Clock } from '@kubewright/apimachinery';

interface Entry<V> {
  readonly value: V;
  readonly expiresAtMs: number;
}

/** Maximum number of cached reviews, as in k8s.io/apiserver (1.36). */
const maxEntries = 8192;

/**
 * Caches the results of reviews for a limited time. Concurrent requests for the same review share one call; failed calls are not
 * cached. A full cache evicts the least recently used entry.
 */
export class ReviewCache<V> {
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry<V>>();
  readonly #pending = new Map<string, Promise<V>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Returns the cached result. If no result is cached, calls `review` and caches its result for `ttlMs`; 0 disables caching.
   */
  async get(
    key: string,
    { review, ttlMs }: { readonly review: () => Promise<V>; readonly ttlMs: (value: V) => number },
  ): Promise<V> {
    const known = this.#find(key);
    if (known !== undefined) return known.value;
    const pending = this.#pending.get(key);
    if (pending !== undefined) return pending;
    const started = review();
    this.#pending.set(key, started);
    try {
      const value = await started;
      this.#keep(key, value, ttlMs(value));
      return value;
    } finally {
      this.#pending.delete(key);
    }
  }

  #find(key: string): Entry<V> | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    if (entry.expiresAtMs <= this.#clock.monotonic()) return undefined;
    this.#entries.set(key, entry); // the last entry in the map's order is the most recently used
    return entry;
  }

  #keep(key: string, value: V, ttlMs: number): void {
    if (ttlMs <= 0) return;
    this.#entries.set(key, { value, expiresAtMs: this.#clock.monotonic() + ttlMs });
    if (this.#entries.size <= maxEntries) return;
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest);
      return;
    }
  }
}
