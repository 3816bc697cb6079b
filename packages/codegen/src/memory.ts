import { Problems } from './problem.ts';

interface Remembered<T> {
  readonly state: string;
  readonly value: T;
  readonly problems: Problems;
}

/** A cache of values derived from parts of a project, with their problems, until those parts change. */
export class Memory<T> {
  readonly #kept = new Map<string, Remembered<T>>();

  /** Returns the value of a name in a state; computed only if the state differs from the last one. */
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

/** A cache keyed by an object that is recreated whenever an input of the value changes. */
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
