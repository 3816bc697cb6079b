import { isNotFound, type Kind, type KubernetesObject, type ObjectKey, type Stored } from '@kubewright/apimachinery';
import { deepFreeze } from '@kubewright/apimachinery/internal';
import type { KubernetesClient } from '@kubewright/client';
import { KindNotServedError } from './cache-errors.ts';
import type { Informer } from './informer.ts';
import type { InformerCache } from './informer-cache.ts';
import type { CacheListOptions } from './lister.ts';

/** Options for reads that may query the server. */
export interface ReadOptions {
  readonly signal?: AbortSignal | undefined;
}

const never = new AbortController().signal;

/** Maximum number of concurrent gets for one list. */
const atOnce = 16;

/** A list of this many objects costs the server about as much as one get. */
const objectsPerGet = 100;

/**
 * Reads declared kinds from the cache and all other kinds live. Objects that the cache cannot know are read live too:
 * objects that this program wrote outside the cache's selectors, and objects that a write left in an unknown state.
 */
export class SplitReads {
  readonly #cache: InformerCache;
  readonly #client: KubernetesClient;

  constructor(options: { readonly cache: InformerCache; readonly client: KubernetesClient }) {
    this.#cache = options.cache;
    this.#client = options.client;
  }

  /** Reads one object, frozen; returns `undefined` if it does not exist. */
  async get<T extends KubernetesObject>(
    kind: Kind<T>,
    key: ObjectKey,
    options: ReadOptions = {},
  ): Promise<Stored<T> | undefined> {
    options.signal?.throwIfAborted();
    const informers = this.#cache.serving(kind, key.namespace);
    if (!informers || !canAnswer(informers)) return this.#live(kind, key, options);
    const unknown = informers.some(({ ownWrites }) => ownWrites.isUncertain(key) || ownWrites.isOutside(key));
    return unknown ? this.#readLive(kind, key, options) : this.#cache.lister(kind).get(key);
  }

  /**
   * Reads all matching objects, frozen. Lists from the cache are in order of namespace and name. A list by an index waits for the
   * first list of the kind.
   *
   * @throws KindNotServedError (KW3016) for a list by an index of a kind that is no longer served.
   */
  async list<T extends KubernetesObject>(
    kind: Kind<T>,
    options: CacheListOptions & ReadOptions = {},
  ): Promise<readonly Stored<T>[]> {
    const { signal, ...wanted } = options;
    signal?.throwIfAborted();
    const informers = this.#cache.serving(kind, wanted.namespace);
    if (informers && wanted.index) {
      if (informers.some(({ isServed }) => !isServed)) throw new KindNotServedError(kind);
      // The server has no indexes, and a cache that has not listed yet is incomplete.
      await Promise.all(informers.map((each) => each.waitForSync(signal ?? never)));
    }
    if (informers && (wanted.index || canAnswer(informers))) {
      await this.#readUncertain(kind, { informers, namespace: wanted.namespace, signal });
      return this.#cache.lister(kind).list(wanted);
    }
    if (wanted.index) {
      const place = wanted.namespace === undefined ? '' : ` in namespace ${wanted.namespace}`;
      throw new TypeError(
        `cannot list ${kind.kind}${place} by an index: only cached objects are indexed; add the kind and the namespace to "caches"`,
      );
    }
    const items: Stored<T>[] = [];
    const { namespace, labelSelector, fieldSelector, limit = Number.POSITIVE_INFINITY } = wanted;
    if (limit === 0) return items;
    for await (const item of this.#client.resource(kind).listAll({ namespace, labelSelector, fieldSelector, signal })) {
      items.push(deepFreeze(item));
      if (items.length >= limit) break;
    }
    return items;
  }

  async #readUncertain(
    kind: Kind<KubernetesObject>,
    options: ReadOptions & {
      readonly informers: readonly Informer<KubernetesObject>[];
      readonly namespace: string | undefined;
    },
  ): Promise<void> {
    const { informers, namespace, signal } = options;
    const keys = informers.flatMap(({ ownWrites }) => ownWrites.uncertainKeys(namespace));
    for (const [where, group] of byNamespace(keys)) {
      if (group.length > atOnce && group.length > this.#cached(kind, where) / objectsPerGet) {
        await this.#readByList(kind, { namespace: where, keys: group, signal });
        continue;
      }
      for (let at = 0; at < group.length; at += atOnce) {
        await Promise.all(group.slice(at, at + atOnce).map((key) => this.#readLive(kind, key, { signal })));
      }
    }
  }

  #cached(kind: Kind<KubernetesObject>, namespace: string | undefined): number {
    return this.#cache.lister(kind).views(namespace === undefined ? {} : { namespace }).length;
  }

  /** Reads many objects of a namespace with one list and updates the cache. */
  async #readByList(
    kind: Kind<KubernetesObject>,
    options: ReadOptions & { readonly namespace: string | undefined; readonly keys: readonly ObjectKey[] },
  ): Promise<void> {
    const { namespace, signal } = options;
    const expected = new Map(
      options.keys.map((key) => [
        key.name,
        this.#cache.informersOf(kind, key).map((informer) => informer.reading(key)),
      ]),
    );
    const found = new Map<string, KubernetesObject>();
    for await (const item of this.#client.resource(kind).listAll({ namespace, signal })) {
      const { name } = item.metadata;
      if (expected.has(name)) found.set(name, deepFreeze(item));
    }
    for (const [name, informers] of expected) for (const apply of informers) apply(found.get(name));
  }

  /** Reads an object live and updates the cache. */
  async #readLive<T extends KubernetesObject>(
    kind: Kind<T>,
    key: ObjectKey,
    options: ReadOptions,
  ): Promise<Stored<T> | undefined> {
    const pending = this.#cache.informersOf(kind, key).map((informer) => informer.reading(key));
    const object = await this.#live(kind, key, options);
    for (const finish of pending) finish(object);
    return object;
  }

  async #live<T extends KubernetesObject>(
    kind: Kind<T>,
    key: ObjectKey,
    options: ReadOptions,
  ): Promise<Stored<T> | undefined> {
    try {
      return deepFreeze(await this.#client.resource(kind).get(key, { signal: options.signal }));
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }
}

function byNamespace(keys: readonly ObjectKey[]): ReadonlyMap<string | undefined, readonly ObjectKey[]> {
  const groups = new Map<string | undefined, ObjectKey[]>();
  for (const key of keys) {
    const group = groups.get(key.namespace);
    if (group) group.push(key);
    else groups.set(key.namespace, [key]);
  }
  return groups;
}

/** Before its first list, or while the kind is not served, a cache would report every object as missing. */
function canAnswer(informers: readonly Informer<KubernetesObject>[]): boolean {
  return informers.every(({ hasSynced, isServed }) => hasSynced && isServed);
}
