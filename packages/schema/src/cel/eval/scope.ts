import type { Eval } from './frame.ts';

/** A variable that is evaluated on first read. */
export interface LazyValue {
  readonly value: Eval;
  /** True if every read spends the cost of evaluating the value, because upstream's expansion repeats the expression. */
  readonly costsEachRead: boolean;
  /** The slot that holds the cost of the first read. */
  readonly costSlot: number;
}

interface Slots {
  count: number;
  /** The declared variables that the expression reads. */
  readonly read: Set<string>;
  /** The declared variables that are computed on demand: their values are functions. */
  readonly deferred: ReadonlySet<string>;
}

/** Maps variables to slots of the `Frame`. No two variables share a slot. */
export class Scope {
  readonly #slots: Slots;
  readonly #names: ReadonlyMap<string, number>;
  readonly #outer: Scope | undefined;
  #lazy: LazyValue | undefined;

  private constructor(names: ReadonlyMap<string, number>, slots: Slots, outer?: Scope) {
    this.#names = names;
    this.#slots = slots;
    this.#outer = outer;
  }

  /** Creates the outermost scope. The declared variables get the first slots, in order. */
  static root(variables: Iterable<string>, deferred: ReadonlySet<string> = new Set()): Scope {
    const names = new Map<string, number>();
    for (const name of variables) names.set(name, names.size);
    return new Scope(names, { count: names.size, read: new Set(), deferred });
  }

  /** The number of slots allocated so far. */
  get size(): number {
    return this.#slots.count;
  }

  /** Creates a nested scope with a slot for each name. */
  inner(...names: readonly string[]): { readonly scope: Scope; readonly slots: readonly number[] } {
    const slots = names.map(() => this.#slots.count++);
    const map = new Map(names.map((name, i) => [name, slots[i]!]));
    return { scope: new Scope(map, this.#slots, this), slots };
  }

  /** Creates a nested scope with one variable, which is evaluated on first read. */
  lazily(
    name: string,
    how: Pick<LazyValue, 'value' | 'costsEachRead'>,
  ): { readonly scope: Scope; readonly slot: number } {
    const { scope, slots } = this.inner(name);
    scope.#lazy = { ...how, costSlot: this.#slots.count++ };
    return { scope, slot: slots[0]! };
  }

  /** Returns the lazy value of a variable that a macro introduced; undefined for other variables. */
  lazyValue(name: string): LazyValue | undefined {
    return this.#names.has(name) ? this.#lazy : this.#outer?.lazyValue(name);
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

  /** True for a declared variable that is computed on demand: its value is a function. */
  isDeferred(name: string): boolean {
    return this.#slots.deferred.has(name);
  }

  /** True if the part of the expression compiled so far reads the declared variable. */
  wasRead(name: string): boolean {
    return this.#slots.read.has(name);
  }
}
