interface Slots {
  count: number;
  /** Declared variables that have been looked up. */
  readonly read: Set<string>;
}

/** Maps variables to slots of the frame. A slot is assigned once and never shared. */
export class Scope {
  readonly #slots: Slots;
  readonly #names: ReadonlyMap<string, number>;
  readonly #outer: Scope | undefined;

  private constructor(names: ReadonlyMap<string, number>, slots: Slots, outer?: Scope) {
    this.#names = names;
    this.#slots = slots;
    this.#outer = outer;
  }

  /** Returns the scope of an expression's declared variables, with slots in their order. */
  static root(variables: Iterable<string>): Scope {
    const names = new Map<string, number>();
    for (const name of variables) names.set(name, names.size);
    return new Scope(names, { count: names.size, read: new Set() });
  }

  /** Number of slots needed by this scope and everything compiled in it so far. */
  get size(): number {
    return this.#slots.count;
  }

  /** Returns a scope inside this one with a slot for each name. */
  inner(...names: readonly string[]): { readonly scope: Scope; readonly slots: readonly number[] } {
    const slots = names.map(() => this.#slots.count++);
    const map = new Map(names.map((name, i) => [name, slots[i]!]));
    return { scope: new Scope(map, this.#slots, this), slots };
  }

  /** Returns the slot of a variable that a macro introduced. */
  local(name: string): number | undefined {
    if (this.#outer === undefined) return undefined;
    return this.#names.get(name) ?? this.#outer.local(name);
  }

  /** Returns the slot of a declared variable. */
  global(name: string): number | undefined {
    if (this.#outer !== undefined) return this.#outer.global(name);
    const slot = this.#names.get(name);
    if (slot !== undefined) this.#slots.read.add(name);
    return slot;
  }

  /** True if anything compiled so far has looked up the declared variable. */
  wasRead(name: string): boolean {
    return this.#slots.read.has(name);
  }
}
