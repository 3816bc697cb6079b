import { PatternError } from '../../pattern/pattern.ts';
import type { CelEnvironment } from '../environment.ts';
import type { Expr } from '../syntax/ast.ts';
import { IssueList } from '../syntax/issue.ts';
import type { Parsed } from '../syntax/parser.ts';
import { walk } from '../syntax/walk.ts';
import { CelDuration } from '../values/duration.ts';
import { CelTimestamp } from '../values/timestamp.ts';

/**
 * Finds literal durations, timestamps and patterns that can only fail.
 * @throws CelCompileError
 */
export function checkLiterals(parsed: Parsed, environment: CelEnvironment): void {
  const issues = new IssueList(parsed.source);
  walk(parsed.expr, (expr) => {
    if (expr.kind !== 'call') return;
    const literal = literalOf(expr);
    if (literal !== undefined && !isValid(expr.fn, literal.text, environment)) {
      issues.report(literal.at.offset, `invalid ${expr.fn} argument`);
    }
  });
  issues.throwIfAny();
}

/** The literal text that the function reads, if it is one. */
function literalOf(expr: Expr & { readonly kind: 'call' }): { readonly text: string; readonly at: Expr } | undefined {
  const args = expr.target === undefined ? expr.args : [expr.target, ...expr.args];
  const index = expr.fn === 'matches' ? 1 : 0;
  const at = args[index];
  if (at?.kind !== 'const' || typeof at.value !== 'string') return undefined;
  return args.length === index + 1 ? { text: at.value, at } : undefined;
}

function isValid(fn: string, text: string, environment: CelEnvironment): boolean {
  switch (fn) {
    case 'duration':
      return CelDuration.parse(text) !== undefined;
    case 'timestamp':
      return CelTimestamp.parse(text) !== undefined;
    case 'matches':
      return isPattern(text, environment);
    default:
      return true;
  }
}

function isPattern(text: string, environment: CelEnvironment): boolean {
  try {
    environment.patterns.get(text);
    return true;
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    return false;
  }
}
