/**
 * A relation from keys to values, where each pair has the sources that claim it. A pair exists as long as one source claims it,
 * so dropping a source costs only as much as it had claimed.
 */
export class Claims {
  /** Sources by value, by key. */
  readonly #pairs = new Map<string, Map<string, Set<string>>>();
  readonly #bySource = new Map<string, { readonly keys: readonly string[]; readonly value: string }>();

  /** Claims that all of `keys` map to `value`. A source claims once; call {@link Claims.drop} before changing its claim. */
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

  /** Removes a source's claims. */
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
