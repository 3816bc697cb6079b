import type { Kind, KubernetesObject } from '@kubewright/apimachinery';
import type { ObjectView } from '../handler/object-view.ts';

/**
 * Computes the index values of an object; called once per version of the object. Prefer metadata: reading `object`
 * decodes the object.
 *
 * @example
 * ```ts
 * const byTeam: IndexFunc<Pod> = ({ labels }) => (labels['team'] === undefined ? [] : [labels['team']]);
 * const pods = cached(Pod, { indexes: { team: byTeam } });
 * const ofTeam = (lister: Lister<Pod>) => lister.views({ index: { name: 'team', value: 'payments' } });
 * ```
 */
export type IndexFunc<T> = (view: ObjectView<T>) => readonly string[];

/** Selects which objects of a namespace are cached. */
export interface CacheSelectors {
  /** Caches only objects with these labels; the server does the filtering. */
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/**
 * Declares which objects of a kind are cached, and which of their fields.
 *
 * @example
 * ```ts
 * const pods: CachedKind<Pod> = {
 *   kind: Pod,
 *   namespaces: ['shop'],
 *   fields: ['spec.nodeName', 'status.phase'],
 * };
 * const manager = new Manager({ controllers: [nodes], caches: [cached(Pod, pods)] });
 * ```
 */
export interface CachedKind<T extends KubernetesObject = KubernetesObject> extends CacheSelectors {
  readonly kind: Kind<T>;
  /**
   * Namespaces to cache, with one informer for each. In the record form, each namespace can have its own selectors
   * instead of the kind's; the name `''` stands for all namespaces that are not listed.
   *
   * @defaultValue the manager's namespaces, or all
   */
  readonly namespaces?: readonly string[] | Readonly<Record<string, CacheSelectors>>;
  /**
   * Index functions by name. A list by the index `name`, or with the field selector `name=value`, needs no scan. Declarations of
   * the same objects share their indexes, so each name must always refer to the same function instance. Functions with equal
   * source are not equal, because they may close over different values.
   */
  readonly indexes?: Readonly<Record<string, IndexFunc<T>>>;
  /**
   * Transforms each object before it is stored, once per version. It cannot change the metadata the runtime depends on:
   * name, namespace, uid, resourceVersion, generation, deletion, finalizers, owner references and managed fields. Label
   * selectors of lists match the transformed labels. If the transform throws, the object is stored unchanged. A
   * transform decodes and re-encodes every object; `fields` is far cheaper.
   */
  readonly transform?: (object: T) => KubernetesObject;
  /**
   * Keeps only these fields, given as dotted paths (`spec.nodeName`), plus type and metadata. Reads of the kind in this
   * manager then return only those fields, unless the kind is also declared in full. Never write a reduced object back.
   */
  readonly fields?: readonly string[];
  /**
   * Requests only metadata from the server; read it with `cache.metadata(kind)`. Other reads of the kind stay live.
   *
   * @defaultValue false
   */
  readonly metadataOnly?: boolean;
  /**
   * Controls what happens while the API server does not serve the kind: `'wait'` waits until the kind is served,
   * `'fail'` makes the first wait for the kind fail, and `'empty'` continues as if there were no objects. In every case,
   * the cache watches the kind once the API server serves it.
   *
   * A 404 response to a list is not enough to make a kind missing. Discovery must confirm the absence, twice and 5 s
   * apart if objects had been listed. Until then, reads still return the objects, and `/readyz` reports that they may
   * be stale. Afterwards, the objects are removed, handlers receive delete events, and `ctx.get` and `ctx.list` query
   * the server (except with `'empty'`).
   *
   * @defaultValue 'wait'
   */
  readonly whenMissing?: 'wait' | 'fail' | 'empty';
  /**
   * Interval in milliseconds at which every object is replayed to handlers as an update without changes; 0 disables it. A resync
   * reads nothing from the server.
   *
   * @defaultValue 36_000_000 (ten hours, as upstream), with up to 10% jitter either way
   */
  readonly resyncMs?: number;
}

/**
 * Declares how a kind is cached, for the `caches` of a controller or a manager.
 *
 * @example
 * ```ts
 * const configMaps = cached(ConfigMap, { namespaces: ['team-a'] });
 * ```
 */
export function cached<T extends KubernetesObject>(
  kind: Kind<T>,
  options: Omit<CachedKind<T>, 'kind'> = {},
): CachedKind {
  // An index function only ever receives objects of its declared kind, so erasing the type for lists of declarations is safe.
  return { kind, ...options } as unknown as CachedKind;
}

/** Normalizes a declaration: a bare kind means that the whole kind is cached. */
export function asCachedKind(declaration: CachedKind | Kind<KubernetesObject>): CachedKind {
  return typeof declaration.kind === 'string'
    ? { kind: declaration as Kind<KubernetesObject> }
    : (declaration as CachedKind);
}
