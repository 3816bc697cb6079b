import type { Kind, KubernetesObject, ObjectKey } from '@kubewright/apimachinery';
import type { Lister } from './lister.ts';

/**
 * The informers of one manager. Only declared kinds are in it (by controllers' `for`, `owns`, `watches`, `caches`, and by the
 * manager's `caches`): reading another kind throws, nothing starts a watch by surprise.
 */
export interface Cache {
  /**
   * Reads the cached objects of a kind.
   *
   * @throws KindNotCachedError (KW3001) when the kind is not declared; not worth a retry.
   */
  lister<T extends KubernetesObject>(kind: Kind<T>): Lister<T>;
  /** True if the kind is declared. */
  has(kind: Kind<KubernetesObject>): boolean;
  /** Waits until every informer has listed once and its handlers have seen the list. */
  waitForSync(signal: AbortSignal): Promise<void>;
  /**
   * Notes what the API server answered to a write through the client, so that reads show at least that. `ctx.apply`,
   * `ctx.setStatus` and `ctx.delete` do it themselves. Does nothing for kinds that are not declared.
   */
  noteWrite(kind: Kind<KubernetesObject>, object: KubernetesObject): void;
  /** Notes that the object of that uid, deleted through the client, is gone. */
  noteDeletion(kind: Kind<KubernetesObject>, options: { readonly key: ObjectKey; readonly uid: string }): void;
}
