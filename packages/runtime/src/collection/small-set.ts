/**
 * A small set whose members change all the time, in insertion order; lookups scan all members.
 *
 * V8 gives a `Set` or `Map` a new table whenever it has become empty, through a call into the runtime, and allocates the table in
 * the old generation once the first one has been promoted: each reconcile left four dead tables behind that no scavenge could
 * collect.
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
