/** Items of which the first is always at hand; to put one in and to take the first out costs the logarithm of their number. */
export class BinaryHeap<T> {
  readonly #isBefore: (a: T, b: T) => boolean;
  /** Each item comes before those at twice its place and one more, and at twice its place and two more. */
  readonly #items: T[] = [];

  /** @param isBefore - whether `a` comes before `b`: a strict order. */
  constructor(isBefore: (a: T, b: T) => boolean) {
    this.#isBefore = isBefore;
  }

  get size(): number {
    return this.#items.length;
  }

  /** The item that comes before all others. */
  get first(): T | undefined {
    return this.#items[0];
  }

  push(item: T): void {
    const items = this.#items;
    let place = items.push(item) - 1;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      // Places below the length hold items.
      if (!this.#isBefore(item, items[parent] as T)) break;
      items[place] = items[parent] as T;
      place = parent;
    }
    items[place] = item;
  }

  /** Takes the first item out. */
  pop(): T | undefined {
    const items = this.#items;
    const first = items[0];
    const last = items.pop();
    if (last === undefined || items.length === 0) return first;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= items.length) break;
      if (child + 1 < items.length && this.#isBefore(items[child + 1] as T, items[child] as T)) child++;
      if (!this.#isBefore(items[child] as T, last)) break;
      items[place] = items[child] as T;
      place = child;
    }
    items[place] = last;
    return first;
  }

  /** Holds these items in place of all others. */
  replace(items: Iterable<T>): void {
    this.clear();
    for (const item of items) this.push(item);
  }

  clear(): void {
    this.#items.length = 0;
  }
}
