import type { StorageChange } from '../storage/index.ts';
import { type DecodeStored, storedItem } from './change-frames.ts';
import type { WatchClass } from './watch-class.ts';
import type { WatchTrigger } from './watch-request.ts';

/** Classes whose filter requires an exact value of one field, by that value. */
interface FieldClasses {
  readonly of: WatchTrigger['of'];
  readonly byValue: Map<string, Set<WatchClass>>;
}

/**
 * The watcher classes of one scope. Classes whose filter requires an exact value of a field are indexed by that value: a change
 * to a pod is checked against the watch for its node, not against the watches for all other nodes.
 */
export class ScopeClasses {
  readonly #others = new Set<WatchClass>();
  readonly #byField = new Map<string, FieldClasses>();

  get isEmpty(): boolean {
    return this.#others.size === 0 && this.#byField.size === 0;
  }

  add(watchClass: WatchClass): void {
    const trigger = watchClass.filter?.trigger;
    if (!trigger) {
      this.#others.add(watchClass);
      return;
    }
    const { field, value, of } = trigger;
    const classes: FieldClasses = this.#byField.get(field) ?? { of, byValue: new Map() };
    this.#byField.set(field, classes);
    const same = classes.byValue.get(value) ?? new Set();
    classes.byValue.set(value, same);
    same.add(watchClass);
  }

  delete(watchClass: WatchClass): void {
    const trigger = watchClass.filter?.trigger;
    if (!trigger) {
      this.#others.delete(watchClass);
      return;
    }
    const classes = this.#byField.get(trigger.field);
    const same = classes?.byValue.get(trigger.value);
    same?.delete(watchClass);
    if (same?.size === 0) classes?.byValue.delete(trigger.value);
    if (classes?.byValue.size === 0) this.#byField.delete(trigger.field);
  }

  /**
   * Returns the classes that a change may concern: classes that require no field value, and classes that require the value before
   * or after the change.
   */
  *concernedBy(change: StorageChange, decode: DecodeStored): Iterable<WatchClass> {
    yield* this.#others;
    for (const { of, byValue } of this.#byField.values()) {
      const values = fieldValues(change, { of, decode });
      if (values === undefined) for (const classes of byValue.values()) yield* classes;
      else for (const value of values) yield* byValue.get(value) ?? [];
    }
  }
}

/** Returns the values of a field before and after a change; undefined if the object cannot be decoded. */
function fieldValues(
  { current, previous }: StorageChange,
  { of, decode }: { readonly of: WatchTrigger['of']; readonly decode: DecodeStored },
): ReadonlySet<string> | undefined {
  const versions = [current, previous].filter((stored) => stored !== undefined);
  try {
    return new Set(versions.map((stored) => of(storedItem(stored, decode))));
  } catch {
    // Return all classes: each reports the undecodable object to its own watchers.
    return undefined;
  }
}
