import { Problems } from './problem.ts';

interface Remembered<T> {
  readonly state: string;
  readonly value: T;
  readonly problems: Problems;
}

/** What was made of parts of a project, with what was wrong with them, until they change. */
export class Memory<T> {
  readonly #kept = new Map<string, Remembered<T>>();

  /** The value of a name in a state: made only if it is not the one that was made last. */
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

/** The same by an object that is made anew whenever anything changes that the value depends on. */
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
