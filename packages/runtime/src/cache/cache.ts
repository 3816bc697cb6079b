import type { Kind, KubernetesObject, ObjectKey } from '@kubewright/apimachinery';
import type { CachedKind } from './cached-kind.ts';
import type { Lister } from './lister.ts';

/**
 * An object reduced to its type and metadata.
 *
 * @example
 * ```ts
 * function teams(cache: Cache): readonly (string | undefined)[] {
 *   const pods: readonly PartialObjectMetadata[] = cache.metadata(Pod).list();
 *   return pods.map(({ metadata }) => metadata.labels?.['team']);
 * }
 * ```
 */
export type PartialObjectMetadata = KubernetesObject;

/**
 * The informers of one manager or cluster. Contains only declared kinds (from controllers' `for`, `owns`, `watches` and `caches`,
 * and the manager's `caches`). Reading any other kind throws, so a read never starts an unexpected watch.
 *
 * @example
 * ```ts
 * import type { Cache } from '@kubewright/runtime';
 *
 * function podNames(cache: Cache, namespace: string): readonly string[] {
 *   return cache.lister(Pod).list({ namespace }).map(({ metadata }) => metadata.name);
 * }
 * ```
 */
export interface Cache {
  /**
   * Reads the cached objects of a kind.
   *
   * @throws KindNotCachedError (KW3001) when the kind is not declared; not worth a retry.
   */
  lister<T extends KubernetesObject>(kind: Kind<T>): Lister<T>;
  /**
   * Reads the metadata of a kind's cached objects, whether the kind is cached in full or `metadataOnly`.
   *
   * @throws KindNotCachedError (KW3001) when the kind is not declared.
   */
  metadata(kind: Kind<KubernetesObject>): Lister<PartialObjectMetadata>;
  /** Reports whether reads of the kind are served from the cache. */
  has(kind: Kind<KubernetesObject>): boolean;
  /**
   * Declares another kind while the manager runs, and waits for its first list.
   *
   * @throws KindNotServedError (KW3016) when the API server does not serve it and the declaration says `whenMissing: 'fail'`.
   * @throws KindNotCachedError (KW3001) when the kind is removed while waiting.
   */
  add(cached: CachedKind, options: { readonly signal: AbortSignal }): Promise<void>;
  /**
   * Changes which namespaces of a kind are cached, without a restart. Handlers receive delete events for removed namespaces and
   * create events for added namespaces; namespaces that stay keep their selectors and are not relisted. The change lasts until
   * the kind is removed, even if leadership is lost and regained. An empty list means all namespaces.
   *
   * Changes all declarations of the kind if they follow the same namespaces; otherwise pass one of them as `of`.
   *
   * @throws KindNotCachedError (KW3001) when the kind, or the declaration `of`, is not declared.
   * @throws AmbiguousNamespacesError (KW3019) when the declarations follow different namespaces and `of` is missing.
   */
  setNamespaces(
    kind: Kind<KubernetesObject>,
    options: { readonly namespaces: readonly string[]; readonly of?: CachedKind | undefined },
  ): Promise<void>;
  /**
   * Stops the informers of a kind and frees their memory. Resolves once their connections are closed.
   *
   * @throws CacheInUseError (KW3017) while controllers follow the kind.
   */
  remove(kind: Kind<KubernetesObject>): Promise<void>;
  /** Waits until every informer has listed once and its handlers have seen the list. */
  waitForSync(signal: AbortSignal): Promise<void>;
  /**
   * Records the API server's response to a write, so that reads are never older than the write. Writes through `ctx`
   * and the manager's client are recorded automatically. Does nothing for kinds that are not declared.
   */
  noteWrite(kind: Kind<KubernetesObject>, object: KubernetesObject): void;
  /** Records that this program deleted the object with the given UID. */
  noteDeletion(kind: Kind<KubernetesObject>, options: { readonly key: ObjectKey; readonly uid: string }): void;
}
