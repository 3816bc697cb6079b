import { LabelSelector, type ObjectKey } from '@kubewright/apimachinery';
import type { ObjectView } from '../handler/object-view.ts';
import type { CacheListOptions, Lister } from './lister.ts';
import type { OwnWrites } from './own-writes.ts';
import type { Store } from './store.ts';

/** Thrown for a list by an index that was not declared. */
export class UnknownIndexError extends Error {
  /** Names the class of failure; the index must be declared, a retry is no use. */
  readonly code = 'KW3012';

  constructor(index: string) {
    super(`cannot list by the index "${index}": it is not declared; add it to "indexes" where the kind is cached`);
    this.name = 'UnknownIndexError';
  }
}

/** Reads one store, and what this process wrote that is not in it yet. */
export class StoreLister<T> implements Lister<T> {
  readonly #store: Store<T>;
  readonly #writes: OwnWrites<T>;

  constructor(store: Store<T>, writes: OwnWrites<T>) {
    this.#store = store;
    this.#writes = writes;
  }

  get size(): number {
    return this.#writes.size === 0 ? this.#store.size : this.views().length;
  }

  get(key: ObjectKey): T | undefined {
    return this.view(key)?.object;
  }

  view(key: ObjectKey): ObjectView<T> | undefined {
    return this.#writes.newest(key, this.#store.get(key.namespace ?? '', key.name));
  }

  list(options?: CacheListOptions): readonly T[] {
    return this.views(options).map((view) => view.object);
  }

  views(options: CacheListOptions = {}): readonly ObjectView<T>[] {
    const { namespace, labelSelector, index } = options;
    let views = this.#candidates(options);
    if (namespace !== undefined && index) views = views.filter((view) => view.namespace === namespace);
    if (labelSelector === undefined || labelSelector === '') return views;
    const selector =
      typeof labelSelector === 'string' ? LabelSelector.parse(labelSelector) : LabelSelector.ofLabels(labelSelector);
    return views.filter((view) => selector.matches(view.labels));
  }

  #candidates(options: CacheListOptions): readonly ObjectView<T>[] {
    const { namespace, index } = options;
    if (!index) return this.#withWrites(this.#store.entries(namespace), (view) => inNamespace(view, namespace));
    const found = this.#store.indexed(index.name, index.value);
    if (!found) throw new UnknownIndexError(index.name);
    const inIndex = (view: ObjectView<T>): boolean =>
      this.#store.indexer.valuesOf(index.name, view).includes(index.value);
    return this.#withWrites([...found].sort(byKey), inIndex);
  }

  /** Puts what was written in place of what is stored, and adds what is not stored yet. */
  #withWrites(entries: readonly ObjectView<T>[], belongs: (view: ObjectView<T>) => boolean): readonly ObjectView<T>[] {
    if (this.#writes.size === 0) return entries;
    const views: ObjectView<T>[] = [];
    for (const entry of entries) {
      const newest = this.#writes.newest(entry.key, entry);
      if (newest === entry) views.push(entry);
    }
    for (const written of this.#writes.pending()) {
      const stored = this.#store.get(written.namespace, written.name);
      if (belongs(written) && this.#writes.newest(written.key, stored) === written) views.push(written);
    }
    return views.sort(byKey);
  }
}

function inNamespace<T>(view: ObjectView<T>, namespace: string | undefined): boolean {
  return namespace === undefined || view.namespace === namespace;
}

function byKey<T>(a: ObjectView<T>, b: ObjectView<T>): number {
  if (a.namespace !== b.namespace) return a.namespace < b.namespace ? -1 : 1;
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}
