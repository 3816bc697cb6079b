/**
 * A small set in insertion order, for members that change all the time. Lookups scan all members.
 *
 * V8 allocates a new table for a `Set` or `Map` whenever it becomes empty, and allocates it in the old generation once
 * an earlier table has been promoted. With built-in sets, each reconcile left four dead tables behind that no scavenge
 * could collect.
 */
export class SmallSet<T> implements Iterable<T> {
  readonly #members: T[] = [];

  get size(): number {
    return this.#members.length;
  }

  add(member: T): void {
    this.#members.push(member);
  }

  delete(member: T): void {
    const at = this.#members.indexOf(member);
    if (at >= 0) this.#members.splice(at, 1);
  }

  find(isIt: (member: T) => boolean): T | undefined {
    return this.#members.find(isIt);
  }

  [Symbol.iterator](): Iterator<T> {
    return this.#members[Symbol.iterator]();
  }
}
