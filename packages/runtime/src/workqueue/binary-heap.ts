/** A heap that gives access to its first item; push and pop take logarithmic time. */
export class BinaryHeap<T> {
  readonly #isBefore: (a: T, b: T) => boolean;
  /** The children of the item at index `i` are at `2i + 1` and `2i + 2`. */
  readonly #items: T[] = [];

  /** @param isBefore - true if `a` comes before `b`: a strict order. */
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
      // Indexes below the length hold items.
      if (!this.#isBefore(item, items[parent] as T)) break;
      items[place] = items[parent] as T;
      place = parent;
    }
    items[place] = item;
  }

  /** Removes and returns the first item. */
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

  /** Replaces all items. */
  replace(items: Iterable<T>): void {
    this.clear();
    for (const item of items) this.push(item);
  }

  clear(): void {
    this.#items.length = 0;
  }
}
