import type { Kind, KubernetesObject } from '@kubewright/apimachinery';
import type { ObjectView } from '../handler/object-view.ts';

/** Computes the index values of an object; called once for each version of it. Read metadata if you can: `object` decodes. */
export type IndexFunc<T> = (view: ObjectView<T>) => readonly string[];

/** A declaration that a kind is cached, and which part of it. */
export interface CachedKind<T extends KubernetesObject = KubernetesObject> {
  readonly kind: Kind<T>;
  /** One informer for each. @defaultValue the manager's namespaces, or all */
  readonly namespaces?: readonly string[];
  /** Only objects with these labels are cached; the server filters. Reads do not find the others: there is no live read for them. */
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly indexes?: Readonly<Record<string, IndexFunc<T>>>;
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
