import type { Expr } from './ast.ts';

/** Visits a node and everything below it, parents first. */
export function walk(expr: Expr, visit: (expr: Expr) => void): void {
  visit(expr);
  for (const child of children(expr)) walk(child, visit);
}

/** The nodes directly below a node. */
export function children(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case 'select':
      return [expr.operand];
    case 'call':
      return expr.target === undefined ? expr.args : [expr.target, ...expr.args];
    case 'list':
      return expr.elements;
    case 'map':
      return expr.entries.flatMap(({ key, value }) => [key, value]);
    case 'struct':
      return expr.fields.map(({ value }) => value);
    case 'comprehension':
      return [expr.range, expr.accuInit, expr.condition, expr.step, expr.result];
    default:
      return [];
  }
}
