/**
 * Records which keys wait for an object to be removed: a desired child cannot be created while a terminating object
 * holds its name. Owner references do not identify the waiting keys, because the terminating object may have another
 * owner, a former owner, or none.
 */
export class AwaitedEnds {
  readonly #keysByObject = new Map<string, Set<string>>();
  readonly #objectsByKey = new Map<string, Set<string>>();

  /** Number of objects that keys wait for. */
  get size(): number {
    return this.#keysByObject.size;
  }

  /** Records that `key` must be reconciled once the object is removed. */
  wait(key: string, objectId: string): void {
    addTo(this.#keysByObject, objectId, key);
    addTo(this.#objectsByKey, key, objectId);
  }

  /** Drops the objects that a key waits for; the key's next reconcile registers them again. */
  forget(key: string): void {
    if (this.#objectsByKey.size === 0) return;
    for (const objectId of this.#objectsByKey.get(key) ?? []) {
      const keys = this.#keysByObject.get(objectId);
      keys?.delete(key);
      if (keys?.size === 0) this.#keysByObject.delete(objectId);
    }
    this.#objectsByKey.delete(key);
  }

  /** Returns the keys that waited for an object that has now been removed. */
  ended(objectId: string): readonly string[] {
    const keys = [...(this.#keysByObject.get(objectId) ?? [])];
    this.#keysByObject.delete(objectId);
    for (const key of keys) {
      const objects = this.#objectsByKey.get(key);
      objects?.delete(objectId);
      if (objects?.size === 0) this.#objectsByKey.delete(key);
    }
    return keys;
  }
}

function addTo(sets: Map<string, Set<string>>, key: string, value: string): void {
  const set = sets.get(key);
  if (set) set.add(value);
  else sets.set(key, new Set([value]));
}
