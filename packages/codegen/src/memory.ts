import { Problems } from './problem.ts';

interface Remembered<T> {
  readonly state: string;
  readonly value: T;
  readonly problems: Problems;
}

/**
 * Caches values that are derived from parts of a project, together with the problems that were found. A value is valid until
 * its part changes.
 */
export class Memory<T> {
  readonly #kept = new Map<string, Remembered<T>>();

  /** Returns the value with the given name. Computes it only if the state differs from the last call's. */
  recall(
    { name, state, problems }: { readonly name: string; readonly state: string; readonly problems: Problems },
    make: (problems: Problems) => T,
  ): T {
    let kept = this.#kept.get(name);
    if (kept?.state !== state) {
      const found = new Problems();
      kept = { state, value: make(found), problems: found };
      this.#kept.set(name, kept);
    }
    problems.include(kept.problems);
    return kept.value;
  }
}

/** Caches values by an object that is recreated whenever an input of the value changes. */
export class ObjectMemory<K extends object, T> {
  readonly #kept = new WeakMap<K, Omit<Remembered<T>, 'state'>>();

  recall(key: K, problems: Problems, make: (problems: Problems) => T): T {
    let kept = this.#kept.get(key);
    if (kept === undefined) {
      const found = new Problems();
      kept = { value: make(found), problems: found };
      this.#kept.set(key, kept);
    }
    problems.include(kept.problems);
    return kept.value;
  }
}
