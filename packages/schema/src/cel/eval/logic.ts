import { Fault, noSuchOverload } from '../errors.ts';
import { CelOptional } from '../values/optional.ts';
import type { CelValue } from '../values/value.ts';
import type { Eval } from './frame.ts';

/** `a || b` for `decided` true, `a && b` for false: the deciding value takes precedence over an error on the other side. */
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

/** Returns true unless the operand is false: the loop condition of `all` and `exists`. */
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

/** `a.or(b)` and `a.orValue(b)`: `b` is evaluated only if `a` is empty. */
export function compileOptionalOr(target: Eval, other: Eval, unwrap: boolean): Eval {
  return (frame) => {
    const value = target(frame);
    if (!(value instanceof CelOptional)) return noSuchOverload();
    if (value.value !== undefined) return unwrap ? value.value : value;
    const fallback = other(frame);
    return unwrap || fallback instanceof CelOptional ? fallback : noSuchOverload();
  };
}
