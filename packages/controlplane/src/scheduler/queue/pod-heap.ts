/** A priority queue that can remove any item, not only the first. The smallest item by `less` comes first. */
export class PodHeap<T extends object> {
  readonly #items: T[] = [];
  readonly #positions = new Map<T, number>();
  readonly #less: (a: T, b: T) => boolean;

  constructor(less: (a: T, b: T) => boolean) {
    this.#less = less;
  }

  get size(): number {
    return this.#items.length;
  }

  get first(): T | undefined {
    return this.#items[0];
  }

  has(item: T): boolean {
    return this.#positions.has(item);
  }

  add(item: T): void {
    if (this.#positions.has(item)) {
      this.moved(item);
      return;
    }
    this.#items.push(item);
    this.#positions.set(item, this.#items.length - 1);
    this.#up(this.#items.length - 1);
  }

  /** Restores the order after an item changed. */
  moved(item: T): void {
    const at = this.#positions.get(item);
    if (at === undefined) return;
    this.#up(at);
    this.#down(this.#positions.get(item) ?? at);
  }

  pop(): T | undefined {
    const { first } = this;
    if (first) this.delete(first);
    return first;
  }

  /** Removes an item. Returns false if it is not present. */
  delete(item: T): boolean {
    const at = this.#positions.get(item);
    if (at === undefined) return false;
    this.#positions.delete(item);
    const last = this.#items.pop();
    if (last !== undefined && last !== item) {
      this.#put(last, at);
      this.#up(at);
      this.#down(this.#positions.get(last) ?? at);
    }
    return true;
  }

  #up(from: number): void {
    let at = from;
    const item = this.#items[at] as T; // Callers pass valid positions only.
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = this.#items[above] as T;
      if (!this.#less(item, parent)) break;
      this.#put(parent, at);
      at = above;
    }
    this.#put(item, at);
  }

  #down(from: number): void {
    let at = from;
    const item = this.#items[at] as T;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= this.#items.length) break;
      const right = this.#items[below + 1];
      if (right !== undefined && this.#less(right, this.#items[below] as T)) below++;
      const child = this.#items[below] as T;
      if (!this.#less(child, item)) break;
      this.#put(child, at);
      at = below;
    }
    this.#put(item, at);
  }

  #put(item: T, at: number): void {
    this.#items[at] = item;
    this.#positions.set(item, at);
  }
}
