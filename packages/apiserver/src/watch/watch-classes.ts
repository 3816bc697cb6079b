import { ScopeClasses } from './scope-classes.ts';
import { classKey, WatchClass } from './watch-class.ts';
import type { WatchRequest } from './watch-request.ts';

/** The watcher classes of one resource, by key and by scope. */
export class WatchClasses {
  readonly #ringBytes: number;
  readonly #byKey = new Map<string, WatchClass>();
  readonly #byScope = new Map<string, ScopeClasses>();

  /** @param ringBytes - bytes kept for slow watchers of one class. */
  constructor(ringBytes: number) {
    this.#ringBytes = ringBytes;
  }

  all(): Iterable<WatchClass> {
    return this.#byKey.values();
  }

  /** Returns the class of a request; adds it if it is new. */
  of(request: WatchRequest): WatchClass {
    const key = classKey(request);
    let watchClass = this.#byKey.get(key);
    if (!watchClass) {
      watchClass = new WatchClass(request, { maxBytes: this.#ringBytes });
      this.#byKey.set(key, watchClass);
      for (const scope of watchClass.scopes) this.#classesOf(scope).add(watchClass);
    }
    return watchClass;
  }

  /** Returns the classes whose watchers get changes in a scope; undefined for a scope without classes. */
  inScope(scope: string): ScopeClasses | undefined {
    return this.#byScope.get(scope);
  }

  delete(watchClass: WatchClass): void {
    this.#byKey.delete(watchClass.key);
    for (const scope of watchClass.scopes) {
      const classes = this.#classesOf(scope);
      classes.delete(watchClass);
      if (classes.isEmpty) this.#byScope.delete(scope);
    }
  }

  #classesOf(scope: string): ScopeClasses {
    let classes = this.#byScope.get(scope);
    if (!classes) {
      classes = new ScopeClasses();
      this.#byScope.set(scope, classes);
    }
    return classes;
  }
}
