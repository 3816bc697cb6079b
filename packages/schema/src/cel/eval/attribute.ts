import type { CallExpr, Expr, SelectExpr } from '../syntax/ast.ts';

/**
 * True for nodes that upstream evaluates as attributes: names, conditionals, and fields or elements selected from a
 * base. A chain of attributes costs one unit for its base and one for each step.
 */
export function isAttribute(expr: Expr): expr is AttributeExpr {
  if (expr.kind === 'call') return expr.target === undefined && (isStep(expr) || expr.fn === '_?_:_');
  return expr.kind === 'ident' || expr.kind === 'select';
}

type AttributeExpr = Extract<Expr, { readonly kind: 'ident' }> | SelectExpr | CallExpr;

const steps = new Set(['_[_]', '_[?_]', '_?._']);

function isStep(expr: CallExpr): boolean {
  return steps.has(expr.fn);
}

/**
 * Returns the cost of an attribute's base: one unit, or 0 for conditionals and presence tests. Upstream does not count
 * this cost in branches of a conditional or in indexes.
 */
export function baseCost(expr: Expr): number {
  if (!isAttribute(expr) || (expr.kind === 'select' && expr.testOnly)) return 0;
  let base: Expr = expr;
  while (isAttribute(base)) {
    if (base.kind === 'ident') return 1;
    if (base.kind === 'call' && !isStep(base)) return 0;
    base = base.kind === 'select' ? base.operand : base.args[0]!;
  }
  return 1;
}
