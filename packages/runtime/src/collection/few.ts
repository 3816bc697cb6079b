/**
 * A set of few members that come and go all the time, in order of their coming; finding one is looking at each.
 *
 * A `Set` or `Map` of V8 is given a new table whenever it has become empty, by a call into the runtime, and in the old
 * generation once its first one has come there: each reconcile left four dead tables behind that no scavenge could collect.
 */
export class Few<T> implements Iterable<T> {
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
