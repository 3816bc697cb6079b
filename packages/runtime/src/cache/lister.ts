import type { ObjectKey, Stored } from '@kubewright/apimachinery';
import type { ObjectView } from '../handler/object-view.ts';

/** What to list from a cache. All given conditions must hold. */
export interface CacheListOptions {
  readonly namespace?: string;
  /** In the API's form (`app=web,tier!=cache`, `env in (a,b)`) or as labels that must be equal. */
  readonly labelSelector?: string | Readonly<Record<string, string>>;
  /**
   * Conditions `field=value` on the object's name, namespace, or indexes that are named like the field (`spec.nodeName`).
   * Others cannot be answered from a cache.
   */
  readonly fieldSelector?: string | Readonly<Record<string, string>>;
  /** Objects for which the index `name` holds `value`. */
  readonly index?: { readonly name: string; readonly value: string };
  /** At most so many, the first in order. */
  readonly limit?: number;
}

/**
 * A read-only view of cached objects of one kind; it may be behind the API server, never behind this process's own writes.
 * Synchronous: everything is in memory.
 *
 * Reading an object outside the namespaces that are cached, or one that this process wrote outside their selectors, throws
 * OutsideCacheScopeError (KW3015): "not found" would be a lie.
 */
export interface Lister<T> {
  /** Reads one object, decoded and frozen. */
  get(key: ObjectKey): Stored<T> | undefined;
  /** Reads one object's metadata without decoding it. */
  view(key: ObjectKey): ObjectView<T> | undefined;
  /** Reads objects in order of namespace and name, each decoded and frozen. */
  list(options?: CacheListOptions): readonly Stored<T>[];
  /** Reads objects' metadata in order of namespace and name, nothing decoded. */
  views(options?: CacheListOptions): readonly ObjectView<T>[];
  /** Number of objects. */
  readonly size: number;
}
