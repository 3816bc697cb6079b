import type { PatternCache } from '../../pattern/pattern-cache.ts';
import { CelBudgetError } from '../errors.ts';
import type { CallContext } from '../library/library.ts';
import type { CelValue } from '../values/value.ts';

/** One evaluation in progress: its variables by slot and its remaining budget. */
export class Frame implements CallContext {
  readonly slots: (CelValue | undefined)[];
  readonly patterns: PatternCache;
  /** Remaining steps. One step is about one access to a value or ten characters. */
  budget: number;

  constructor(slots: (CelValue | undefined)[], options: { readonly budget: number; readonly patterns: PatternCache }) {
    this.slots = slots;
    this.budget = options.budget;
    this.patterns = options.patterns;
  }

  /** @throws CelBudgetError when the budget is spent */
  charge(steps: number): void {
    this.budget -= steps;
    if (this.budget < 0) throw new CelBudgetError();
  }
}

/** A compiled node. */
export type Eval = (frame: Frame) => CelValue;
