import type { ObjectView } from '../handler/object-view.ts';
import type { IndexFunc } from './cached-kind.ts';

interface Index<T> {
  readonly func: IndexFunc<T>;
  readonly entries: Map<string, Set<ObjectView<T>>>;
  readonly values: Map<ObjectView<T>, readonly string[]>;
}

/** Maintains, for each named index function, which objects have which value. */
export class Indexer<T> {
  readonly #indexes = new Map<string, Index<T>>();
  readonly #onError: (index: string, error: unknown) => void;

  constructor(functions: Readonly<Record<string, IndexFunc<T>>>, onError: (index: string, error: unknown) => void) {
    this.#onError = onError;
    this.extend(functions, []);
  }

  /** Adds the indexes that do not exist yet and fills them with the existing objects. */
  extend(functions: Readonly<Record<string, IndexFunc<T>>>, present: Iterable<ObjectView<T>>): void {
    const added = Object.entries(functions).filter(([name]) => !this.#indexes.has(name));
    if (added.length === 0) return;
    for (const [name, func] of added) this.#indexes.set(name, { func, entries: new Map(), values: new Map() });
    for (const view of present) for (const [name] of added) this.#put(name, view);
  }

  /** Returns the name of an existing index that has a different function, or undefined. */
  conflicting(functions: Readonly<Record<string, IndexFunc<T>>>): string | undefined {
    return Object.keys(functions).find(
      (name) => (this.#indexes.get(name)?.func ?? functions[name]) !== functions[name],
    );
  }

  add(view: ObjectView<T>): void {
    if (this.#indexes.size === 0) return;
    for (const name of this.#indexes.keys()) this.#put(name, view);
  }

  #put(name: string, view: ObjectView<T>): void {
    const index = this.#indexes.get(name)!;
    const values = this.valuesOf(name, view);
    if (values.length === 0) return;
    index.values.set(view, values);
    for (const value of values) {
      const set = index.entries.get(value);
      if (set) set.add(view);
      else index.entries.set(value, new Set([view]));
    }
  }

  remove(view: ObjectView<T>): void {
    if (this.#indexes.size === 0) return;
    for (const index of this.#indexes.values()) {
      for (const value of index.values.get(view) ?? []) {
        const set = index.entries.get(value);
        set?.delete(view);
        if (set?.size === 0) index.entries.delete(value);
      }
      index.values.delete(view);
    }
  }

  /** Returns the values of an object in an index; none if the index function throws. */
  valuesOf(name: string, view: ObjectView<T>): readonly string[] {
    const index = this.#indexes.get(name);
    if (!index) return [];
    try {
      return index.func(view);
    } catch (error) {
      this.#onError(name, error);
      return [];
    }
  }

  /** Returns the objects with the value; undefined if no index has that name. */
  get(name: string, value: string): ReadonlySet<ObjectView<T>> | undefined {
    const index = this.#indexes.get(name);
    return index && (index.entries.get(value) ?? new Set());
  }
}
