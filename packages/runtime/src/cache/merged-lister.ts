import type { Kind, KubernetesObject, ObjectKey, Stored } from '@kubewright/apimachinery';
import type { ObjectView } from '../handler/object-view.ts';
import { OutsideCacheScopeError } from './cache-errors.ts';
import type { Informer } from './informer.ts';
import type { CacheListOptions, Lister } from './lister.ts';

/** The informers that a {@link MergedLister} reads; the set may change. */
export interface MergedInformers<T> {
  /** The informers, in order of their namespaces. */
  readonly informers: readonly Informer<T>[];
  /** Returns the informer whose scope covers the namespace. */
  at(namespace: string | undefined): Informer<T> | undefined;
}

/** Reads several informers as one, for a kind that is cached per namespace. */
export class MergedLister<T> implements Lister<T> {
  readonly #kind: Kind<KubernetesObject>;
  readonly #from: MergedInformers<T>;

  constructor(kind: Kind<KubernetesObject>, from: MergedInformers<T>) {
    this.#kind = kind;
    this.#from = from;
  }

  get size(): number {
    return this.#from.informers.reduce((sum, { lister }) => sum + lister.size, 0);
  }

  get(key: ObjectKey): Stored<T> | undefined {
    return this.view(key)?.object;
  }

  view(key: ObjectKey): ObjectView<T> | undefined {
    const informer = this.#from.at(key.namespace);
    if (!informer) throw new OutsideCacheScopeError(this.#kind, key);
    return informer.lister.view(key);
  }

  list(options?: CacheListOptions): readonly Stored<T>[] {
    return this.views(options).map((view) => view.object);
  }

  views(options: CacheListOptions = {}): readonly ObjectView<T>[] {
    const { namespace, limit = Number.POSITIVE_INFINITY } = options;
    if (namespace !== undefined) {
      const one = this.#from.at(namespace);
      if (!one) throw new OutsideCacheScopeError(this.#kind, { namespace, name: '*' });
      return one.lister.views(options);
    }
    const { informers } = this.#from;
    if (informers.length === 1) return informers[0]!.lister.views(options);
    // Sort, because objects from the informer for all unnamed namespaces belong between objects of the other informers.
    const isMixed = informers.some(({ scope }) => scope.listWatch.namespace === undefined);
    const views: ObjectView<T>[] = [];
    for (const { lister } of informers) {
      if (views.length >= limit && !isMixed) break;
      for (const view of lister.views(options)) views.push(view);
    }
    if (isMixed) views.sort(byNamespace);
    return views.slice(0, limit);
  }
}

/** Compares namespaces only; the sort is stable, so the order within a namespace is kept. */
function byNamespace<T>(a: ObjectView<T>, b: ObjectView<T>): number {
  return a.namespace < b.namespace ? -1 : a.namespace > b.namespace ? 1 : 0;
}
