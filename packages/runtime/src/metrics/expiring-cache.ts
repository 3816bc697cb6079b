import type { Clock } from '@kubewright/apimachinery';

interface Entry<V> {
  readonly value: Promise<V>;
  endMs: number;
}

/**
 * Caches results for a limited time, keeps only the newest results, and shares one lookup between concurrent callers.
 */
export class ExpiringCache<V> {
  readonly #clock: Clock;
  readonly #most: number;
  readonly #entries = new Map<string, Entry<V>>();

  constructor(options: { readonly clock: Clock; readonly most: number }) {
    this.#clock = options.clock;
    this.#most = options.most;
  }

  /** @param lookup.lifeMs - how long a result is valid; failures are not cached. */
  get(key: string, lookup: { readonly find: () => Promise<V>; readonly lifeMs: (value: V) => number }): Promise<V> {
    const known = this.#entries.get(key);
    if (known && this.#clock.monotonic() < known.endMs) return known.value;
    this.#entries.delete(key);
    const value = lookup.find();
    const entry: Entry<V> = { value, endMs: Number.POSITIVE_INFINITY };
    this.#entries.set(key, entry);
    if (this.#entries.size > this.#most) this.#dropOldest();
    value.then(
      (found) => {
        entry.endMs = this.#clock.monotonic() + lookup.lifeMs(found);
      },
      () => {
        if (this.#entries.get(key) === entry) this.#entries.delete(key);
      },
    );
    return value;
  }

  #dropOldest(): void {
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.#entries.delete(oldest);
  }
}
