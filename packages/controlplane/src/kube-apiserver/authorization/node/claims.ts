/**
 * A many-to-many relation between keys and values. Each pair records the sources that claim it, and exists as long as
 * at least one source claims it. Removing a source costs time proportional to its own claims only.
 */
export class Claims {
  /** Sources by key and value. */
  readonly #pairs = new Map<string, Map<string, Set<string>>>();
  readonly #bySource = new Map<string, { readonly keys: readonly string[]; readonly value: string }>();

  /**
   * Records a source's claim: all `keys` map to `value`. A source can have only one claim, so call {@link Claims.drop}
   * before recording another.
   */
  put(source: string, keys: readonly string[], value: string): void {
    this.#bySource.set(source, { keys, value });
    for (const key of keys) {
      const values = this.#pairs.get(key) ?? new Map<string, Set<string>>();
      const sources = values.get(value) ?? new Set<string>();
      sources.add(source);
      values.set(value, sources);
      this.#pairs.set(key, values);
    }
  }

  /** Removes the claim of a source. */
  drop(source: string): void {
    const claimed = this.#bySource.get(source);
    if (!claimed) return;
    this.#bySource.delete(source);
    const { keys, value } = claimed;
    for (const key of keys) {
      const values = this.#pairs.get(key);
      const sources = values?.get(value);
      sources?.delete(source);
      if (sources?.size === 0) values?.delete(value);
      if (values?.size === 0) this.#pairs.delete(key);
    }
  }

  has(key: string, value: string): boolean {
    return this.#pairs.get(key)?.has(value) ?? false;
  }

  /** Returns the values of a key. */
  of(key: string): readonly string[] {
    return [...(this.#pairs.get(key)?.keys() ?? [])];
  }
}
