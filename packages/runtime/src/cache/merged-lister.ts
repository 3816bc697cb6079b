import type { Kind, KubernetesObject, ObjectKey, Stored } from '@kubewright/apimachinery';
import type { ObjectView } from '../handler/object-view.ts';
import { OutsideCacheScopeError } from './cache-errors.ts';
import type { Informer } from './informer.ts';
import type { CacheListOptions, Lister } from './lister.ts';

/** Reads several informers as one, for a kind that is cached per namespace. The set of informers may change. */
export class MergedLister<T> implements Lister<T> {
  readonly #kind: Kind<KubernetesObject>;
  readonly #informers: () => readonly Informer<T>[];

  /** @param informers - in order of their namespaces. */
  constructor(kind: Kind<KubernetesObject>, informers: () => readonly Informer<T>[]) {
    this.#kind = kind;
    this.#informers = informers;
  }

  get size(): number {
    return this.#informers().reduce((sum, { lister }) => sum + lister.size, 0);
  }

  get(key: ObjectKey): Stored<T> | undefined {
    return this.view(key)?.object;
  }

  view(key: ObjectKey): ObjectView<T> | undefined {
    const informer = this.#informers().find(({ scope }) => scope.covers(key.namespace));
    if (!informer) throw new OutsideCacheScopeError(this.#kind, key);
    return informer.lister.view(key);
  }

  list(options?: CacheListOptions): readonly Stored<T>[] {
    return this.views(options).map((view) => view.object);
  }

  views(options: CacheListOptions = {}): readonly ObjectView<T>[] {
    const informers = this.#informers();
    if (options.namespace !== undefined) {
      const one = informers.find(({ scope }) => scope.covers(options.namespace));
      if (!one) throw new OutsideCacheScopeError(this.#kind, { namespace: options.namespace, name: '*' });
      return one.lister.views(options);
    }
    const views = informers.flatMap(({ lister }) => lister.views(options));
    // An informer that stands for all unnamed namespaces interleaves with the others, so sort.
    if (informers.some(({ scope }) => scope.listWatch.namespace === undefined)) views.sort(byNamespace);
    return options.limit === undefined ? views : views.slice(0, options.limit);
  }
}

/** Compares namespaces only; the sort is stable, so the order within a namespace is kept. */
function byNamespace<T>(a: ObjectView<T>, b: ObjectView<T>): number {
  return a.namespace < b.namespace ? -1 : a.namespace > b.namespace ? 1 : 0;
}
