import {
  FieldSelector,
  type Kind,
  type KubernetesObject,
  LabelSelector,
  type ObjectKey,
  type Stored,
} from '@kubewright/apimachinery';
import type { ObjectView } from '../handler/object-view.ts';
import { OutsideCacheScopeError, UnknownIndexError } from './cache-errors.ts';
import type { CacheScope } from './cache-scope.ts';
import type { CacheListOptions, Lister } from './lister.ts';
import type { OwnWrites } from './own-writes.ts';
import type { Store } from './store.ts';

export interface StoreListerOptions<T> {
  readonly kind: Kind<KubernetesObject>;
  readonly store: Store<T>;
  readonly writes: OwnWrites<T>;
  readonly scope: CacheScope;
}

/** A condition on an index. */
interface IndexTerm {
  readonly name: string;
  readonly value: string;
}

/** Reads one store, plus the writes of this process that are not in it yet. */
export class StoreLister<T> implements Lister<T> {
  readonly #kind: Kind<KubernetesObject>;
  readonly #store: Store<T>;
  readonly #writes: OwnWrites<T>;
  readonly #scope: CacheScope;

  constructor(options: StoreListerOptions<T>) {
    this.#kind = options.kind;
    this.#store = options.store;
    this.#writes = options.writes;
    this.#scope = options.scope;
  }

  get size(): number {
    return this.#writes.size === 0 ? this.#store.size : this.views().length;
  }

  get(key: ObjectKey): Stored<T> | undefined {
    return this.view(key)?.object;
  }

  view(key: ObjectKey): ObjectView<T> | undefined {
    if (!this.#scope.covers(key.namespace) || this.#writes.isOutside(key)) {
      throw new OutsideCacheScopeError(this.#kind, key);
    }
    return this.#writes.newest(key, this.#store.get(key.namespace ?? '', key.name));
  }

  list(options?: CacheListOptions): readonly Stored<T>[] {
    return this.views(options).map((view) => view.object);
  }

  views(options: CacheListOptions = {}): readonly ObjectView<T>[] {
    const { namespace, limit } = options;
    const [first, ...rest] = this.#terms(options);
    const selector = selectorOf(options);
    if (limit === 0) return [];
    let views = first ? this.#byIndex(first) : this.#selected(namespace, selector);
    if (namespace !== undefined && first) views = views.filter((view) => view.namespace === namespace);
    for (const term of rest) views = views.filter((view) => this.#has(view, term));
    if (first && selector) views = views.filter((view) => selector.matches(view.labels));
    return limit === undefined ? views : views.slice(0, limit);
  }

  /** Returns the index conditions; the first is looked up, the rest filter its result. */
  #terms(options: CacheListOptions): readonly IndexTerm[] {
    const { index, fieldSelector } = options;
    const terms: IndexTerm[] = index ? [index] : [];
    const fields =
      typeof fieldSelector === 'string'
        ? FieldSelector.parse(fieldSelector).requirements
        : Object.entries(fieldSelector ?? {}).map(([field, value]) => ({ field, operator: '=', value }));
    for (const { field, operator, value } of fields) {
      // An index finds objects that have a value, not objects that lack it.
      if (operator !== '=') throw new UnknownIndexError(`${field}!=`);
      terms.push({ name: field, value });
    }
    for (const { name } of terms) {
      if (!builtIn.has(name) && !this.#store.indexed(name, '')) throw new UnknownIndexError(name);
    }
    return terms.sort((a, b) => Number(builtIn.has(a.name)) - Number(builtIn.has(b.name)));
  }

  #all(namespace: string | undefined): readonly ObjectView<T>[] {
    return this.#withWrites(this.#store.entries(namespace), (view) => inNamespace(view, namespace));
  }

  #selected(namespace: string | undefined, selector: LabelSelector | undefined): readonly ObjectView<T>[] {
    if (!selector) return this.#all(namespace);
    const matches = (view: ObjectView<T>): boolean => inNamespace(view, namespace) && selector.matches(view.labels);
    const found = this.#store.labeled(selector);
    if (!found) return this.#all(namespace).filter((view) => selector.matches(view.labels));
    return this.#withWrites(found.filter(matches).sort(byKey), matches);
  }

  #byIndex(term: IndexTerm): readonly ObjectView<T>[] {
    const has = (view: ObjectView<T>): boolean => this.#has(view, term);
    if (term.name === 'metadata.namespace') return this.#all(term.value);
    if (builtIn.has(term.name)) return this.#all(undefined).filter(has);
    const found = this.#store.indexed(term.name, term.value) ?? [];
    return this.#withWrites([...found].sort(byKey), has);
  }

  #has(view: ObjectView<T>, term: IndexTerm): boolean {
    if (term.name === 'metadata.name') return view.name === term.value;
    if (term.name === 'metadata.namespace') return view.namespace === term.value;
    return this.#store.indexer.valuesOf(term.name, view).includes(term.value);
  }

  /** Replaces stored entries with newer writes, and adds writes that are not stored yet. */
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

function selectorOf({ labelSelector }: CacheListOptions): LabelSelector | undefined {
  if (labelSelector === undefined || labelSelector === '') return undefined;
  return typeof labelSelector === 'string' ? LabelSelector.parse(labelSelector) : LabelSelector.ofLabels(labelSelector);
}

/** Fields by which every object can be listed. */
const builtIn: ReadonlySet<string> = new Set(['metadata.name', 'metadata.namespace']);

function inNamespace<T>(view: ObjectView<T>, namespace: string | undefined): boolean {
  return namespace === undefined || view.namespace === namespace;
}

function byKey<T>(a: ObjectView<T>, b: ObjectView<T>): number {
  if (a.namespace !== b.namespace) return a.namespace < b.namespace ? -1 : 1;
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}
