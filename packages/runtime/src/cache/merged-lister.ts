import type { ObjectKey } from '@kubewright/apimachinery';
import type { ObjectView } from '../handler/object-view.ts';
import type { CacheListOptions, Lister } from './lister.ts';

/** Reads several listers as one: a kind that is cached namespace by namespace. */
export class MergedLister<T> implements Lister<T> {
  readonly #listers: readonly Lister<T>[];

  /** @param listers - in order of their namespaces, each holding one. */
  constructor(listers: readonly Lister<T>[]) {
    this.#listers = listers;
  }

  get size(): number {
    return this.#listers.reduce((sum, lister) => sum + lister.size, 0);
  }

  get(key: ObjectKey): T | undefined {
    return this.view(key)?.object;
  }

  view(key: ObjectKey): ObjectView<T> | undefined {
    for (const lister of this.#listers) {
      const view = lister.view(key);
      if (view) return view;
    }
    return undefined;
  }

  list(options?: CacheListOptions): readonly T[] {
    return this.#listers.flatMap((lister) => lister.list(options));
  }

  views(options?: CacheListOptions): readonly ObjectView<T>[] {
    return this.#listers.flatMap((lister) => lister.views(options));
  }
}
