import type { KubernetesObject, Stored } from '@kubewright/apimachinery';

/**
 * Versions of objects with changes that have not been observed yet. Each assumed version replaces the cached object
 * until another version of the object is observed.
 */
export class AssumedObjects<T extends KubernetesObject> {
  readonly #assumed = new Map<string, Stored<T>>();

  /** Assumes a change to the currently cached version. */
  assume(object: Stored<T>): void {
    this.#assumed.set(keyOf(object), object);
  }

  /** Discards an assumed change that was not written. */
  restore(object: Stored<T>): void {
    const assumed = this.#assumed.get(keyOf(object));
    if (assumed?.metadata.resourceVersion === object.metadata.resourceVersion) this.#assumed.delete(keyOf(object));
  }

  /** Returns the assumed version of a cached object, or the object itself. */
  current(cached: Stored<T>): Stored<T>;
  current(cached: Stored<T> | undefined): Stored<T> | undefined;
  current(cached: Stored<T> | undefined): Stored<T> | undefined {
    if (!cached || this.#assumed.size === 0) return cached;
    const key = keyOf(cached);
    const assumed = this.#assumed.get(key);
    if (!assumed) return cached;
    if (assumed.metadata.resourceVersion === cached.metadata.resourceVersion) return assumed;
    this.#assumed.delete(key);
    return cached;
  }
}

function keyOf({ metadata: { namespace = '', name = '' } }: KubernetesObject): string {
  return `${namespace}/${name}`;
}
