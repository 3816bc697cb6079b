/**
 * The path from a variable to a value: `self`, `users`, `@items`, `name`.
 *
 * Trails grow like slices in Go: a trail with spare capacity stores its next step in memory that it shares with other trails
 * of the same origin, and all of them read the step that was written last. The API server's estimates depend on that: in
 * `self.list.all(x, x.a.all(y, y != x.b))` the loop over `x.a` is assumed to be as long as `x.b`. A rule must not be
 * rejected here and accepted there, so this is reproduced.
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

  /** Returns a trail of one step. */
  static from(step: string): FieldTrail {
    return new FieldTrail([step], 1, 1);
  }

  /** Returns the trail with one more step; without a trail, a trail of that step alone. */
  static extend(trail: FieldTrail | undefined, step: string): FieldTrail {
    return trail === undefined ? FieldTrail.from(step) : trail.#extend(step);
  }

  get steps(): readonly string[] {
    return this.#cells.slice(0, this.#length);
  }

  /** Returns the same steps in separate memory. */
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
