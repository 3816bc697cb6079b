/**
 * The path from a variable to a value, in steps: `self`, `users`, `@items`, `name`.
 *
 * Reproduces an aliasing bug of upstream, which appends steps to Go slices. Paths extended from the same path can share
 * memory; in that case, they all end with the step appended last. In `self.list.all(x, x.a.all(y, y != x.b))`, for
 * example, the API server uses the size of `x.b` as the size of `x.a`. Without this quirk, the estimates would reject
 * rules that the API server accepts.
 */
export class ValuePath {
  readonly #cells: string[];
  readonly #length: number;
  readonly #capacity: number;

  private constructor(cells: string[], length: number, room: number) {
    this.#cells = cells;
    this.#length = length;
    this.#capacity = room;
  }

  /** Returns a path with one step. */
  static from(step: string): ValuePath {
    return new ValuePath([step], 1, 1);
  }

  /** Appends a step to a path. Starts a new path if `path` is undefined. */
  static extend(path: ValuePath | undefined, step: string): ValuePath {
    return path === undefined ? ValuePath.from(step) : path.#extend(step);
  }

  get steps(): readonly string[] {
    return this.#cells.slice(0, this.#length);
  }

  /** A copy that shares no memory with other paths. */
  get detached(): ValuePath {
    return new ValuePath([...this.steps], this.#length, this.#length);
  }

  #extend(step: string): ValuePath {
    const length = this.#length + 1;
    if (length <= this.#capacity) {
      this.#cells[this.#length] = step;
      return new ValuePath(this.#cells, length, this.#capacity);
    }
    return new ValuePath([...this.steps, step], length, 2 * this.#capacity);
  }
}
