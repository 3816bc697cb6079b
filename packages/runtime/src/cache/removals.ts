import type { StoredVersion } from './stored-version.ts';

/** Maximum number of removals that are remembered. */
const maxRemovals = 10_000;

interface Removal {
  readonly version: StoredVersion;
  readonly order: number;
}

/**
 * Objects that the watch showed as removed while a deletion was in flight; the response to the deletion may arrive
 * later. A removal is dropped once every deletion in flight when it was recorded has received its response. At most
 * 10,000 removals are remembered.
 */
export class Removals {
  readonly #removals = new Map<string, Removal>();
  /** The value of `#order` at the start of each deletion, oldest first. */
  readonly #deletions = new Set<{ readonly since: number }>();
  #order = 0;

  get size(): number {
    return this.#removals.size;
  }

  /** Records that a deletion is in flight, until the result is disposed. */
  deleting(): Disposable {
    const deletion = { since: this.#order };
    this.#deletions.add(deletion);
    return {
      [Symbol.dispose]: () => {
        this.#deletions.delete(deletion);
        this.#forget();
      },
    };
  }

  /** Records a removal if a deletion is in flight. Keeps no reference to the argument. */
  removed({ uid, resourceVersion }: StoredVersion): void {
    if (this.#deletions.size === 0) return;
    this.#removals.delete(uid);
    this.#removals.set(uid, { version: { uid, resourceVersion }, order: this.#order++ });
    if (this.#removals.size > maxRemovals) this.#dropOldest();
  }

  get(uid: string): StoredVersion | undefined {
    return this.#removals.get(uid)?.version;
  }

  clear(): void {
    this.#removals.clear();
  }

  #forget(): void {
    const [oldest] = this.#deletions;
    const since = oldest?.since ?? Number.POSITIVE_INFINITY;
    for (const [uid, { order }] of this.#removals) {
      if (order >= since) return;
      this.#removals.delete(uid);
    }
  }

  #dropOldest(): void {
    for (const uid of this.#removals.keys()) {
      this.#removals.delete(uid);
      return;
    }
  }
}
