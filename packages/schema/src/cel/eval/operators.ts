import { comparisonCost, concatenationCost, equalityCost } from '../cost/actual-costs.ts';
import { actualSize } from '../cost/actual-size.ts';
import { noSuchOverload } from '../errors.ts';
import type { CallExpr, Expr } from '../syntax/ast.ts';
import type { CelType } from '../types/cel-type.ts';
import { add, compare, divide, modulo, multiply, negate, subtract } from '../values/arithmetic.ts';
import { equals } from '../values/equality.ts';
import { elementAt, isList } from '../values/list.ts';
import { CelMap } from '../values/map.ts';
import type { CelValue } from '../values/value.ts';
import { compileIndex, compileOptionalSelect } from './access.ts';
import { baseCost } from './attribute.ts';
import type { Compiler, NodeInfo } from './compiler.ts';
import { isFolded } from './folded.ts';
import type { Eval, Frame } from './frame.ts';
import { compileConditional, compileLogical, compileNot, compileNotStrictlyFalse } from './logic.ts';
import type { Scope } from './scope.ts';

/** Compiles a call to an operator; returns undefined for any other call. */
export function compileOperator(compiler: Compiler, expr: CallExpr, scope: Scope): Eval | undefined {
  const [a, b, c] = expr.args;
  switch (expr.fn) {
    case '_&&_':
    case '_||_':
      return compileLogical(compiler.compile(a!, scope), compiler.branch(b!, scope), expr.fn === '_||_');
    case '_?_:_': {
      const chosen = (branch: Expr): Eval => compiler.branch(branch, scope, { cost: -baseCost(branch) });
      return compileConditional(compiler.compile(a!, scope), chosen(b!), chosen(c!));
    }
    case '_[_]':
    case '_[?_]':
      return compileIndex(compiler, expr, scope);
    case '_?._':
      return compileOptionalSelect(compiler, expr, scope);
    case '!_':
      compiler.charge(1);
      return compileNot(compiler.compile(a!, scope));
    case '-_': {
      compiler.charge(1);
      const operand = compiler.compile(a!, scope);
      return (frame) => negate(operand(frame));
    }
    case '@not_strictly_false':
      compiler.charge(1);
      return compileNotStrictlyFalse(compiler.compile(a!, scope));
    default:
      return b === undefined ? undefined : compileBinary(compiler, expr, scope);
  }
}

/**
 * Compiles a binary operator that evaluates both operands. Closures have a fast path for small integers, the common case.
 */
function compileBinary(compiler: Compiler, expr: CallExpr, scope: Scope): Eval | undefined {
  const operands = (): readonly [Eval, Eval] => [
    compiler.compile(expr.args[0]!, scope),
    compiler.compile(expr.args[1]!, scope),
  ];
  switch (expr.fn) {
    case '_==_':
    case '_!=_':
      return compileEquality(compiler, expr, operands());
    case '_<_':
      return comparison(compiler, expr, { operands, small: (x, y) => x < y, decide: (order) => order < 0 });
    case '_<=_':
      return comparison(compiler, expr, { operands, small: (x, y) => x <= y, decide: (order) => order <= 0 });
    case '_>_':
      return comparison(compiler, expr, { operands, small: (x, y) => x > y, decide: (order) => order > 0 });
    case '_>=_':
      return comparison(compiler, expr, { operands, small: (x, y) => x >= y, decide: (order) => order >= 0 });
    case '_+_':
      return compileSum(compiler, expr, operands());
    case '_-_':
      return arithmetic(compiler, operands(), subtract);
    case '_*_':
      return arithmetic(compiler, operands(), multiply);
    case '_/_':
      return arithmetic(compiler, operands(), divide);
    case '_%_':
      return arithmetic(compiler, operands(), modulo);
    case '@in':
    case 'in':
    case '_in_':
      return isEmptyList(expr.args[1]!) ? () => false : compileContains(compiler, expr, operands());
    default:
      return undefined;
  }
}

/** Types whose values always have size 1. */
const scalars = new Set(['bool', 'double', 'duration', 'int', 'null', 'timestamp', 'type', 'uint']);

function compileEquality(compiler: Compiler, expr: CallExpr, [a, b]: readonly [Eval, Eval]): Eval {
  const negated = expr.fn === '_!=_';
  if (expr.args.every((arg) => scalars.has(compiler.info.typeOf(arg).kind))) {
    compiler.charge(1);
    return (frame) => equals(a(frame), b(frame), frame) !== negated;
  }
  const cost = negated ? comparisonCost : equalityCost;
  return (frame) => {
    const x = a(frame);
    const y = b(frame);
    frame.spend(cost(x, y));
    return equals(x, y, frame) !== negated;
  };
}

function comparison(
  compiler: Compiler,
  expr: CallExpr,
  how: {
    readonly operands: () => readonly [Eval, Eval];
    readonly small: (x: number, y: number) => boolean;
    readonly decide: (order: number) => boolean;
  },
): Eval {
  const { small, decide } = how;
  const [a, b] = how.operands();
  if (isText(onlyParameter(compiler, expr, 0))) {
    return (frame) => {
      const x = a(frame);
      const y = b(frame);
      frame.spend(comparisonCost(x, y));
      return decide(compare(x, y, frame));
    };
  }
  compiler.charge(1);
  return (frame) => {
    const x = a(frame);
    const y = b(frame);
    if (typeof x === 'number' && typeof y === 'number') return small(x, y);
    return decide(compare(x, y, frame));
  };
}

/** Returns a parameter's type in the overload that the checker chose; undefined if several overloads match. */
function onlyParameter(compiler: Compiler, expr: CallExpr, index: number): CelType | undefined {
  const reference = compiler.info.referenceOf(expr);
  if (reference?.kind !== 'function' || reference.overloads.length !== 1) return undefined;
  return reference.overloads[0]!.params[index];
}

function isText(type: CelType | undefined): boolean {
  return type?.kind === 'string' || type?.kind === 'bytes';
}

function compileSum(compiler: Compiler, expr: CallExpr, [a, b]: readonly [Eval, Eval]): Eval {
  if (!isText(onlyParameter(compiler, expr, 0))) return arithmetic(compiler, [a, b], add);
  return (frame) => {
    const x = a(frame);
    const y = b(frame);
    frame.spend(concatenationCost(x, y));
    return add(x, y, frame);
  };
}

function arithmetic(
  compiler: Compiler,
  [a, b]: readonly [Eval, Eval],
  compute: (x: CelValue, y: CelValue, frame: Frame) => CelValue,
): Eval {
  compiler.charge(1);
  return (frame) => compute(a(frame), b(frame), frame);
}

function compileContains(compiler: Compiler, expr: CallExpr, [a, b]: readonly [Eval, Eval]): Eval {
  const inList = onlyParameter(compiler, expr, 1)?.kind === 'list';
  if (inList && isConstantSet(expr.args[1]!, compiler.info)) return (frame) => contains(a(frame), b(frame), frame);
  if (!inList) {
    compiler.charge(1);
    return (frame) => contains(a(frame), b(frame), frame);
  }
  return (frame) => {
    const value = a(frame);
    const list = b(frame);
    frame.spend(actualSize(list));
    return contains(value, list, frame);
  };
}

function isEmptyList(expr: Expr): boolean {
  return expr.kind === 'list' && expr.elements.length === 0;
}

/** True for a list of constants. Upstream converts it to a set, so looking up a value costs nothing. */
function isConstantSet(expr: Expr, info: NodeInfo): boolean {
  return (
    expr.kind === 'list' &&
    isFolded(expr, info) &&
    expr.elements.every((e) => e.kind === 'const' && e.value !== null && !(e.value instanceof Uint8Array))
  );
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
