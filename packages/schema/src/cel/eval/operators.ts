import { noSuchOverload } from '../errors.ts';
import { add, compare, divide, modulo, multiply, negate, subtract } from '../values/arithmetic.ts';
import { equals } from '../values/equality.ts';
import { elementAt, isList } from '../values/list.ts';
import { CelMap } from '../values/map.ts';
import type { CelValue } from '../values/value.ts';
import type { Eval, Frame } from './frame.ts';

/** Compiles the strict operators. The common case, two small ints, is handled in the closure itself. */
export function compileBinary(fn: string, a: Eval, b: Eval): Eval | undefined {
  switch (fn) {
    case '_==_':
      return (frame) => equals(a(frame), b(frame), frame);
    case '_!=_':
      return (frame) => !equals(a(frame), b(frame), frame);
    case '_<_':
      return comparison(a, b, { small: (x, y) => x < y, decide: (order) => order < 0 });
    case '_<=_':
      return comparison(a, b, { small: (x, y) => x <= y, decide: (order) => order <= 0 });
    case '_>_':
      return comparison(a, b, { small: (x, y) => x > y, decide: (order) => order > 0 });
    case '_>=_':
      return comparison(a, b, { small: (x, y) => x >= y, decide: (order) => order >= 0 });
    case '_+_':
      return (frame) => add(a(frame), b(frame), frame);
    case '_-_':
      return (frame) => subtract(a(frame), b(frame));
    case '_*_':
      return (frame) => multiply(a(frame), b(frame));
    case '_/_':
      return (frame) => divide(a(frame), b(frame));
    case '_%_':
      return (frame) => modulo(a(frame), b(frame));
    case '@in':
    case 'in':
    case '_in_':
      return (frame) => contains(a(frame), b(frame), frame);
    default:
      return undefined;
  }
}

function comparison(
  a: Eval,
  b: Eval,
  how: { readonly small: (x: number, y: number) => boolean; readonly decide: (order: number) => boolean },
): Eval {
  const { small, decide } = how;
  return (frame) => {
    const x = a(frame);
    const y = b(frame);
    if (typeof x === 'number' && typeof y === 'number') return small(x, y);
    return decide(compare(x, y, frame));
  };
}

/** `-a` */
export function compileNegate(operand: Eval): Eval {
  return (frame) => negate(operand(frame));
}

function contains(value: CelValue, container: CelValue, frame: Frame): boolean {
  if (container instanceof CelMap) return container.get(value) !== undefined;
  if (!isList(container)) return noSuchOverload();
  for (let i = 0; i < container.length; i++) {
    frame.charge(1);
    if (equals(value, elementAt(container, i), frame)) return true;
  }
  return false;
}
