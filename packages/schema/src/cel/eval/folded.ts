import type { CallExpr, Expr } from '../syntax/ast.ts';
import type { NodeInfo } from './compiler.ts';

const conversions = new Set('bool bytes double duration dyn int string timestamp type uint'.split(' '));

/** True for nodes that upstream evaluates at compile time, so they cost nothing at run time. */
export function isFolded(expr: Expr, info: NodeInfo): boolean {
  switch (expr.kind) {
    case 'const':
      return true;
    case 'list':
      return expr.elements.every((element) => isFolded(element, info));
    case 'map':
      return expr.entries.every(({ key, value }) => isFolded(key, info) && isFolded(value, info));
    case 'call':
      return isFoldedConversion(expr, info);
    default:
      return info.referenceOf(expr)?.kind === 'type';
  }
}

/** True for the conversion of a constant, such as `duration('1h')`. */
export function isFoldedConversion(expr: CallExpr, info: NodeInfo): boolean {
  const { target, fn, args } = expr;
  return target === undefined && args.length === 1 && conversions.has(fn) && isFolded(args[0]!, info);
}
