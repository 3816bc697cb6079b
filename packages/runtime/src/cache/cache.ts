import type { Kind, KubernetesObject, ObjectKey } from '@kubewright/apimachinery';
import type { CachedKind } from './cached-kind.ts';
import type { Lister } from './lister.ts';

/** An object of which only type and metadata are known. */
export type PartialObjectMetadata = KubernetesObject;

/**
 * The informers of one manager or cluster. Only declared kinds are in it (by controllers' `for`, `owns`, `watches`, `caches`,
 * and by the manager's `caches`): reading another kind throws, nothing starts a watch by surprise.
 */
export interface Cache {
  /**
   * Reads the cached objects of a kind.
   *
   * @throws KindNotCachedError (KW3001) when the kind is not declared; not worth a retry.
   */
  lister<T extends KubernetesObject>(kind: Kind<T>): Lister<T>;
  /**
   * Reads the metadata of a kind's cached objects, whether they are declared whole or `metadataOnly`.
   *
   * @throws KindNotCachedError (KW3001) when the kind is not declared.
   */
  metadata(kind: Kind<KubernetesObject>): Lister<PartialObjectMetadata>;
  /** True if reads of the kind are answered from the cache. */
  has(kind: Kind<KubernetesObject>): boolean;
  /**
   * Declares one more kind while the manager runs, and waits for its first listing.
   *
   * @throws KindNotServedError (KW3016) when the API server does not serve it and the declaration says `whenMissing: 'fail'`.
   * @throws KindNotCachedError (KW3001) when it was removed meanwhile.
   */
  add(cached: CachedKind, options: { readonly signal: AbortSignal }): Promise<void>;
  /**
   * Changes which namespaces of a kind are cached, without a restart. Handlers see objects come and go; namespaces that
   * stay are not relisted.
   *
   * @throws KindNotCachedError (KW3001)
   */
  setNamespaces(kind: Kind<KubernetesObject>, options: { readonly namespaces: readonly string[] }): Promise<void>;
  /**
   * Ends the informers of a kind and frees what they hold; resolves when their connections are closed.
   *
   * @throws CacheInUseError (KW3017) while controllers follow it.
   */
  remove(kind: Kind<KubernetesObject>): Promise<void>;
  /** Waits until every informer has listed once and its handlers have seen the list. */
  waitForSync(signal: AbortSignal): Promise<void>;
  /**
   * Notes what the API server answered to a write, so that reads show at least that. Writes through `ctx` and the manager's
   * client are noted by themselves. Does nothing for kinds that are not declared.
   */
  noteWrite(kind: Kind<KubernetesObject>, object: KubernetesObject): void;
  /** Notes that the object of that uid, deleted by this program, is gone. */
  noteDeletion(kind: Kind<KubernetesObject>, options: { readonly key: ObjectKey; readonly uid: string }): void;
}
