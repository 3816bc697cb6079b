import type { PatternCache } from '../../pattern/pattern-cache.ts';
import { CelBudgetError } from '../errors.ts';
import type { CallContext } from '../library/library.ts';
import type { CelValue } from '../values/value.ts';

/**
 * Maximum number of steps in one evaluation. This is ten times the cost budget of a call, so only work that is nearly
 * free in upstream can reach the limit.
 */
const maxSteps = 10_000_000;

/** The state of one evaluation: variables by slot, and the remaining budget. */
export class Frame implements CallContext {
  readonly slots: (CelValue | undefined)[];
  readonly patterns: PatternCache;
  /** The remaining budget, in upstream's cost units. */
  budget: number;
  /** Remaining steps. Limits work that costs nothing in upstream's units, such as comparing nested lists. */
  #steps = maxSteps;

  constructor(slots: (CelValue | undefined)[], options: { readonly budget: number; readonly patterns: PatternCache }) {
    this.slots = slots;
    this.budget = options.budget;
    this.patterns = options.patterns;
  }

  /** Deducts units from the budget. @throws CelBudgetError if the budget is exceeded */
  spend(units: number): void {
    this.budget -= units;
    if (this.budget < 0) throw new CelBudgetError();
  }

  /** Returns units that were spent in advance for work that was not done. */
  refund(units: number): void {
    this.budget += units;
  }

  /**
   * Counts work: a step is roughly one access to a value, or ten characters. @throws CelBudgetError when no steps
   * remain
   */
  charge(steps: number): void {
    this.#steps -= steps;
    if (this.#steps < 0) throw new CelBudgetError();
  }
}

/** A compiled node. */
export type Eval = (frame: Frame) => CelValue;
