import type { ObjectKey, Stored } from '@kubewright/apimachinery';
import type { ObjectView } from '../handler/object-view.ts';

/** Options for a list from a cache. All given conditions must match. */
export interface CacheListOptions {
  readonly namespace?: string;
  /** A selector in the API's syntax (`app=web,tier!=cache`, `env in (a,b)`), or labels that must be equal. */
  readonly labelSelector?: string | Readonly<Record<string, string>>;
  /**
   * Conditions `field=value` on the object's name, namespace, or an index named after the field (`spec.nodeName`). A cache cannot
   * evaluate other fields.
   */
  readonly fieldSelector?: string | Readonly<Record<string, string>>;
  /** Selects objects for which the index `name` contains `value`. */
  readonly index?: { readonly name: string; readonly value: string };
  /** Maximum number of objects to return, taken from the start of the order. */
  readonly limit?: number;
}

/**
 * A read-only view of the cached objects of one kind. It may lag behind the API server, but never behind this process's own
 * writes. Reads are synchronous: everything is in memory.
 *
 * Reading an object outside the cached namespaces, or an object that a write of this process moved outside the
 * selectors, throws OutsideCacheScopeError (KW3015), because "not found" would be wrong.
 *
 * @example
 * ```ts
 * function running(pods: Lister<Pod>, namespace: string): readonly Stored<Pod>[] {
 *   return pods.list({ namespace, labelSelector: 'app=web' }).filter(({ status }) => status?.phase === 'Running');
 * }
 * ```
 */
export interface Lister<T> {
  /** Reads one object, decoded and frozen. */
  get(key: ObjectKey): Stored<T> | undefined;
  /** Reads one object's metadata without decoding it. */
  view(key: ObjectKey): ObjectView<T> | undefined;
  /** Reads objects in order of namespace and name, each decoded and frozen. */
  list(options?: CacheListOptions): readonly Stored<T>[];
  /** Reads objects' metadata in order of namespace and name, without decoding anything. */
  views(options?: CacheListOptions): readonly ObjectView<T>[];
  /** Number of objects. */
  readonly size: number;
}
