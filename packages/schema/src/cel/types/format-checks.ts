import { nextClause, verbOf } from '../library/format-verbs.ts';
import type { CallExpr, Expr } from '../syntax/ast.ts';
import { type CelType, isDyn } from './cel-type.ts';
import type { Checked } from './checker.ts';

/** Checks the literal arguments of a call `'…'.format([…])`; returns the first error and its node. */
export function formatFault(
  expr: CallExpr,
  checked: Checked,
): { readonly at: Expr; readonly message: string } | undefined {
  const [list] = expr.args;
  if (expr.fn !== 'format' || expr.args.length !== 1 || list?.kind !== 'list') return undefined;
  if (expr.target?.kind !== 'const' || typeof expr.target.value !== 'string') return undefined;
  const text = expr.target.value;
  const args = list.elements;
  let used = 0;
  for (let at = text.indexOf('%'); at >= 0; ) {
    const clause = nextClause(text, at);
    if (clause.kind === 'fault') return { at: expr, message: clause.message };
    if (clause.kind === 'verb') {
      const arg = args[used];
      if (arg === undefined) return { at: expr, message: `index ${used} out of range` };
      const verb = verbOf(clause.verb);
      if (typeof verb === 'string') return { at: expr, message: `could not parse formatting clause: ${verb}` };
      const bad = mismatchIn(arg, verb.kinds, checked);
      if (bad !== undefined) {
        return { at: bad, message: `error during formatting: ${verb.fault}, was given ${checked.typeOf(bad).name}` };
      }
      used++;
    }
    at = text.indexOf('%', clause.end);
  }
  if (args.length <= used) return undefined;
  return { at: expr, message: `too many arguments supplied to string.format (expected ${used}, got ${args.length})` };
}

/** Returns the argument, or the part of a list or map literal, whose type the verb does not accept. */
function mismatchIn(expr: Expr, kinds: ReadonlySet<CelType['kind']>, checked: Checked): Expr | undefined {
  const type = checked.typeOf(expr);
  if (!isDyn(type) && !kinds.has(type.kind)) return expr;
  if (!kinds.has('list')) return undefined;
  if (expr.kind === 'list') return firstMismatch(expr.elements, kinds, checked);
  if (expr.kind === 'map')
    return firstMismatch(
      expr.entries.flatMap(({ key, value }) => [key, value]),
      kinds,
      checked,
    );
  return undefined;
}

function firstMismatch(
  exprs: readonly Expr[],
  kinds: ReadonlySet<CelType['kind']>,
  checked: Checked,
): Expr | undefined {
  for (const expr of exprs) {
    const bad = mismatchIn(expr, kinds, checked);
    if (bad !== undefined) return bad;
  }
  return undefined;
}
