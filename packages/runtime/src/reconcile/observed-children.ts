import {
  formatObjectKey,
  isControlledBy,
  type Kind,
  type KubernetesObject,
  type ObjectKey,
  objectKey,
  parseApiVersion,
  type Stored,
} from '@kubewright/apimachinery';
import type { Cache } from '../cache/cache.ts';
import type { IndexFunc } from '../cache/cached-kind.ts';
import type { Lister } from '../cache/lister.ts';

/**
 * Reads the existing children, which are objects of the kinds in `owns` that the reconciled object controls, and related objects.
 */
export interface Observed {
  /** Returns one child; a name is looked up in the owner's namespace. */
  get<C extends KubernetesObject>(kind: Kind<C>, name: string | ObjectKey | undefined): Stored<C> | undefined;
  /** Returns all children of a kind, in order of namespace and name. */
  list<C extends KubernetesObject>(kind: Kind<C>): readonly Stored<C>[];
  /**
   * Reads objects other than children from the cache: of kinds that the controller declares in `watches` or `caches`,
   * in any namespace. Declare a watch with a mapping, so that `desired` runs again when the objects change.
   *
   * @example
   * ```ts
   * desired: (team, observed) => {
   *   const { namespace, name } = team.metadata;
   *   const pods = observed.related(Pod).list({ namespace, labelSelector: { 'example.com/team': name } });
   *   return { status: { pods: pods.length } };
   * }
   * ```
   * @throws KindNotCachedError (KW3001) for a kind that is not declared.
   */
  related<C extends KubernetesObject>(kind: Kind<C>): Lister<C>;
}

const name = 'kubewright.controller-uid';
const controllerUid: IndexFunc<KubernetesObject> = (view) =>
  view.ownerReferences.flatMap((reference) => (reference.controller ? [reference.uid] : []));

/**
 * Index for finding children, used in the declarations of owned kinds. Always the same object, so that declarations can
 * be shared.
 */
export const childrenIndex: Readonly<Record<string, IndexFunc<KubernetesObject>>> = { [name]: controllerUid };

/** Returns the children of an owner from the cache. Each call reads the current state. */
export function observedChildren(owner: KubernetesObject, cache: Pick<Cache, 'lister'>): Observed {
  const { uid = '', namespace } = owner.metadata;
  return {
    get<C extends KubernetesObject>(kind: Kind<C>, which: Parameters<Observed['get']>[1]): Stored<C> | undefined {
      if (which === undefined) return undefined;
      const key = typeof which === 'string' ? keyOf(kind, { name: which, namespace }) : which;
      const found = cache.lister(kind).get(key);
      return found && isControlledBy(found, owner) ? found : undefined;
    },
    list: (kind) => cache.lister(kind).list({ index: { name, value: uid } }),
    related: (kind) => cache.lister(kind),
  };
}

function keyOf(
  kind: Kind<unknown>,
  { name: own, namespace }: { readonly name: string; readonly namespace: string | undefined },
): { readonly name: string; readonly namespace?: string } {
  return kind.scope === 'Cluster' || namespace === undefined ? { name: own } : { namespace, name: own };
}

/**
 * Returns an id that is unique among all objects, even if kinds of different groups have the same name. The id is the
 * same in every version of the API.
 */
export function childId(object: KubernetesObject): string {
  return `${object.kind}.${parseApiVersion(object.apiVersion).group} ${formatObjectKey(objectKey(object))}`;
}
