/**
 * The way from a variable to a value: `self`, `users`, `@items`, `name`.
 *
 * Trails grow as slices do in Go: one that has room keeps its next step in the same memory as others of its origin, and
 * the last of them to be written is what all of them read. The API server's estimates depend on that: in
 * `self.list.all(x, x.a.all(y, y != x.b))` the loop over `x.a` is taken to be as long as `x.b`. A rule must not be refused
 * here and accepted there, so it is the same here.
 */
export class FieldTrail {
  readonly #cells: string[];
  readonly #length: number;
  readonly #room: number;

  private constructor(cells: string[], length: number, room: number) {
    this.#cells = cells;
    this.#length = length;
    this.#room = room;
  }

  /** A trail of one step. */
  static from(step: string): FieldTrail {
    return new FieldTrail([step], 1, 1);
  }

  /** The trail with one more step; from nowhere it is a trail of that step alone. */
  static extend(trail: FieldTrail | undefined, step: string): FieldTrail {
    return trail === undefined ? FieldTrail.from(step) : trail.#extend(step);
  }

  get steps(): readonly string[] {
    return this.#cells.slice(0, this.#length);
  }

  /** The same steps, in memory of its own. */
  get detached(): FieldTrail {
    return new FieldTrail([...this.steps], this.#length, this.#length);
  }

  #extend(step: string): FieldTrail {
    const length = this.#length + 1;
    if (length <= this.#room) {
      this.#cells[this.#length] = step;
      return new FieldTrail(this.#cells, length, this.#room);
    }
    return new FieldTrail([...this.steps, step], length, 2 * this.#room);
  }
}
