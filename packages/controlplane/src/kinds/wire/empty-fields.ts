import type { OmittedField } from './wire-types.ts';

const emptyMap: unique symbol = Symbol('empty map');

/** True for a list without elements. */
export function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** True for an empty map that a client sent. JSON does not tell it from an empty structure. */
export function isEmptyMap(value: object): boolean {
  return emptyMap in value;
}

/**
 * Remembers the empty lists and maps that clients sent. Upstream encodes them like absent ones, but until it stores an object,
 * its rules can tell the two apart: a nil check, `reflect.DeepEqual` and the value in a message see an empty list. So objects
 * here contain the empty fields only while such rules run.
 */
export class EmptyFields {
  readonly #sent = new WeakMap<object, readonly OmittedField[]>();

  /** Records the fields that normalization has removed from an object. Replaces an earlier record. */
  record(object: object, omitted: readonly OmittedField[]): void {
    if (omitted.length > 0) this.#sent.set(object, omitted);
    else this.#sent.delete(object);
    for (const { value } of omitted) {
      if (typeof value === 'object' && value !== null) Object.defineProperty(value, emptyMap, { value: true });
    }
  }

  /** Puts the recorded fields back, except those that have a value now. */
  restore(object: object): void {
    for (const { object: parent, name, value } of this.#sent.get(object) ?? []) parent[name] ??= value;
  }

  /** Removes the fields again that {@link restore} has put back. */
  remove(object: object): void {
    for (const { object: parent, name, value } of this.#sent.get(object) ?? []) {
      if (parent[name] === value && Object.keys(value as object).length === 0) delete parent[name];
    }
  }

  /** Runs a function that sees the recorded fields. */
  during<T>(object: object, run: () => T): T {
    if (!this.#sent.has(object)) return run();
    this.restore(object);
    try {
      return run();
    } finally {
      this.remove(object);
    }
  }
}
