import type { Eval } from './frame.ts';

/** A variable that is evaluated when it is first read. */
export interface LazyValue {
  readonly value: Eval;
  /** True if each read spends the cost of the value, because upstream repeats its expression. */
  readonly repaid: boolean;
  /** Slot for that cost. */
  readonly costSlot: number;
}

interface Slots {
  count: number;
  /** Declared variables that have been looked up. */
  readonly read: Set<string>;
  /** Declared variables whose values are functions. */
  readonly deferred: ReadonlySet<string>;
}

/** Maps variables to slots of the frame. A slot is assigned once and never shared. */
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

  /** Returns the scope of an expression's declared variables, with slots in their order. */
  static root(variables: Iterable<string>, deferred: ReadonlySet<string> = new Set()): Scope {
    const names = new Map<string, number>();
    for (const name of variables) names.set(name, names.size);
    return new Scope(names, { count: names.size, read: new Set(), deferred });
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

  /** Returns a scope inside this one with a variable that is evaluated when it is first read. */
  lazily(name: string, how: Pick<LazyValue, 'value' | 'repaid'>): { readonly scope: Scope; readonly slot: number } {
    const { scope, slots } = this.inner(name);
    scope.#lazy = { ...how, costSlot: this.#slots.count++ };
    return { scope, slot: slots[0]! };
  }

  /** Returns the value of a variable that a macro introduced, if it is lazy. */
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

  /** True for a declared variable whose value is a function that returns it. */
  isDeferred(name: string): boolean {
    return this.#slots.deferred.has(name);
  }

  /** True if anything compiled so far has looked up the declared variable. */
  wasRead(name: string): boolean {
    return this.#slots.read.has(name);
  }
}
