import { Fault, noSuchOverload } from '../errors.ts';
import { CelOptional } from '../values/optional.ts';
import type { CelValue } from '../values/value.ts';
import type { Eval } from './frame.ts';

/**
 * Compiles `a || b` (`decided` is true) or `a && b` (`decided` is false). An operand that decides the result overrides
 * an error in the other operand.
 */
export function compileLogical(left: Eval, right: Eval, decided: boolean): Eval {
  return (frame) => {
    let first: CelValue;
    try {
      first = left(frame);
    } catch (fault) {
      if (!(fault instanceof Fault)) throw fault;
      if (right(frame) === decided) return decided;
      throw fault;
    }
    if (first === decided) return decided;
    const second = right(frame);
    if (second === decided) return decided;
    if (typeof first !== 'boolean' || typeof second !== 'boolean') return noSuchOverload();
    return !decided;
  };
}

/** `condition ? a : b` */
export function compileConditional(condition: Eval, yes: Eval, no: Eval): Eval {
  return (frame) => {
    const chosen = condition(frame);
    if (chosen === true) return yes(frame);
    return chosen === false ? no(frame) : noSuchOverload();
  };
}

/** `!a` */
export function compileNot(operand: Eval): Eval {
  return (frame) => {
    const value = operand(frame);
    return typeof value === 'boolean' ? !value : noSuchOverload();
  };
}

/**
 * Compiles `@not_strictly_false(a)`, the loop condition of `all` and `exists`: true unless the operand is false; errors
 * count as true.
 */
export function compileNotStrictlyFalse(operand: Eval): Eval {
  return (frame) => {
    try {
      return operand(frame) !== false;
    } catch (fault) {
      if (!(fault instanceof Fault)) throw fault;
      return true;
    }
  };
}

/** Compiles `a.or(b)` and `a.orValue(b)`. Evaluates `b` only if `a` is empty. */
export function compileOptionalOr(target: Eval, other: Eval, unwrap: boolean): Eval {
  return (frame) => {
    const value = target(frame);
    if (!(value instanceof CelOptional)) return noSuchOverload();
    if (value.value !== undefined) return unwrap ? value.value : value;
    const fallback = other(frame);
    return unwrap || fallback instanceof CelOptional ? fallback : noSuchOverload();
  };
}
