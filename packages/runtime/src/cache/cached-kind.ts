import type { Kind, KubernetesObject } from '@kubewright/apimachinery';
import type { ObjectView } from '../handler/object-view.ts';

/** Computes the index values of an object; called once for each version of it. Read metadata if you can: `object` decodes. */
export type IndexFunc<T> = (view: ObjectView<T>) => readonly string[];

/** Which objects of a namespace are cached. */
export interface CacheSelectors {
  /** Only objects with these labels are cached; the server filters. */
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** A declaration that a kind is cached, and which part of it. */
export interface CachedKind<T extends KubernetesObject = KubernetesObject> extends CacheSelectors {
  readonly kind: Kind<T>;
  /**
   * One informer for each. As a record, each namespace may have selectors instead of the kind's; the name `''`
   * then stands for all namespaces that are not named.
   *
   * @defaultValue the manager's namespaces, or all
   */
  readonly namespaces?: readonly string[] | Readonly<Record<string, CacheSelectors>>;
  /**
   * Lists by the index `name` are answered without a scan; so are field selectors `name=value`. Declarations of the same objects share
   * their indexes: one name is one function, defined once. Equal source is not equal: what it closes over may differ.
   */
  readonly indexes?: Readonly<Record<string, IndexFunc<T>>>;
  /**
   * Changes each object before it is kept, once for each version. It cannot change the metadata that the runtime works
   * with: name, namespace, uid, resourceVersion, generation, deletion, finalizers, owner references and managed fields. Label
   * selectors of lists match the labels that it keeps. An object for which it throws is kept unchanged. It decodes and
   * encodes: `fields` is far cheaper.
   */
  readonly transform?: (object: T) => KubernetesObject;
  /**
   * Keeps only these fields, as dotted paths (`spec.nodeName`), besides type and metadata. Reads of the kind in this manager
   * then show no others, unless it is declared whole as well: never write back what was read so.
   */
  readonly fields?: readonly string[];
  /** Asks the server for metadata alone; read by `cache.metadata(kind)`. Other reads of the kind stay live. @defaultValue false */
  readonly metadataOnly?: boolean;
  /**
   * What to do while the API server does not serve the kind: `'wait'` until it does, `'fail'` the first wait for it,
   * or continue as if there were no objects (`'empty'`). In each case, the kind is followed as soon as it is served.
   *
   * A list that is answered with 404 does not make a kind missing: discovery has to say so, and twice, 5 s apart, where objects
   * were listed. Until then they are served unchanged, and `/readyz` says that they may be stale. Then they are gone, handlers
   * get delete events, and `ctx.get` and `ctx.list` ask the server (not with `'empty'`).
   *
   * @defaultValue 'wait'
   */
  readonly whenMissing?: 'wait' | 'fail' | 'empty';
  /**
   * Every object is shown to handlers again after this time, as an update in which nothing differs, in milliseconds; 0 is
   * never. Nothing is read from the server for it.
   *
   * @defaultValue 36_000_000 (ten hours, as upstream), and up to a tenth more or less
   */
  readonly resyncMs?: number;
}

/** Declares what is cached of a kind; goes into `caches` of a controller or a manager. */
export function cached<T extends KubernetesObject>(
  kind: Kind<T>,
  options: Omit<CachedKind<T>, 'kind'> = {},
): CachedKind {
  // An index function only ever sees objects of its own kind; the erased form is what lists of declarations hold.
  return { kind, ...options } as unknown as CachedKind;
}

/** Sees a bare kind as the declaration that all of it is cached. */
export function asCachedKind(declaration: CachedKind | Kind<KubernetesObject>): CachedKind {
  return typeof declaration.kind === 'string'
    ? { kind: declaration as Kind<KubernetesObject> }
    : (declaration as CachedKind);
}
