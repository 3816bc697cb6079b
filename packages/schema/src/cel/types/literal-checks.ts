import { PatternError } from '../../pattern/pattern.ts';
import type { CelEnvironment } from '../environment.ts';
import type { CallExpr, Expr, ListExpr, MapExpr } from '../syntax/ast.ts';
import { IssueList } from '../syntax/issue.ts';
import { children } from '../syntax/walk.ts';
import { CelDuration } from '../values/duration.ts';
import { CelTimestamp } from '../values/timestamp.ts';
import type { CelType } from './cel-type.ts';
import * as t from './cel-type.ts';
import type { Checked } from './checker.ts';
import { formatFault } from './format-checks.ts';

/**
 * Rejects invalid literals: durations, timestamps, patterns and format strings with syntax errors, and lists and maps with
 * mixed types.
 * @throws CelCompileError
 */
export function checkLiterals(checked: Checked, environment: CelEnvironment): void {
  const issues = new IssueList(checked.source);
  new LiteralChecker(checked, environment, issues).visit(checked.expr, false);
  issues.throwIfAny();
}

class LiteralChecker {
  readonly #checked: Checked;
  readonly #environment: CelEnvironment;
  readonly #issues: IssueList;

  constructor(checked: Checked, environment: CelEnvironment, issues: IssueList) {
    this.#checked = checked;
    this.#environment = environment;
    this.#issues = issues;
  }

  /** @param mixed - true inside the arguments of `format`, where types may be mixed */
  visit(expr: Expr, mixed: boolean): void {
    if (expr.kind === 'call') this.#call(expr);
    if (expr.kind === 'list' && !mixed) this.#list(expr);
    if (expr.kind === 'map' && !mixed) this.#map(expr);
    const below = mixed || (expr.kind === 'call' && expr.fn === 'format');
    for (const child of children(expr)) this.visit(child, below);
  }

  #call(expr: CallExpr): void {
    const literal = literalOf(expr);
    if (literal !== undefined && !isValid(expr.fn, literal.text, this.#environment)) {
      this.#issues.report(literal.at.offset, `invalid ${expr.fn} argument`);
    }
    const fault = formatFault(expr, this.#checked);
    if (fault !== undefined) this.#issues.report(fault.at.offset, fault.message);
  }

  #list(expr: ListExpr): void {
    let first: CelType | undefined;
    for (const [i, element] of expr.elements.entries()) {
      const type = this.#typeOf(element, expr.optionals.has(i));
      first ??= type;
      if (!this.#fits(element, first, type)) return;
    }
  }

  #map(expr: MapExpr): void {
    let first: { readonly key: CelType; readonly value: CelType } | undefined;
    for (const entry of expr.entries) {
      const types = { key: this.#typeOf(entry.key, false), value: this.#typeOf(entry.value, entry.optional) };
      first ??= types;
      this.#fits(entry.key, first.key, types.key);
      this.#fits(entry.value, first.value, types.value);
    }
  }

  #typeOf(expr: Expr, optional: boolean): CelType {
    const type = this.#checked.typeOf(expr);
    return optional ? t.unwrapOptional(type) : type;
  }

  #fits(expr: Expr, expected: CelType, actual: CelType): boolean {
    if (t.sameType(expected, actual)) return true;
    this.#issues.report(expr.offset, `expected type '${t.formatType(expected)}' but found '${t.formatType(actual)}'`);
    return false;
  }
}

/** Returns the literal string that the function will parse; undefined if the argument is not a literal. */
function literalOf(expr: CallExpr): { readonly text: string; readonly at: Expr } | undefined {
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
