import type { CelValue } from '../values/value.ts';

/** One node of a parsed expression. Immutable; the checker's results are kept outside the tree, keyed by {@link id}. */
export type Expr = ConstExpr | IdentExpr | SelectExpr | CallExpr | ListExpr | MapExpr | StructExpr | ComprehensionExpr;

interface Node {
  /** Number of the node in its expression: 0, 1, 2, … */
  readonly id: number;
  /** Location in the source, as an offset in UTF-16 units. */
  readonly offset: number;
}

export interface ConstExpr extends Node {
  readonly kind: 'const';
  readonly value: CelValue;
}

export interface IdentExpr extends Node {
  readonly kind: 'ident';
  readonly name: string;
}

/** `operand.field`, or `has(operand.field)` if {@link testOnly} is true. */
export interface SelectExpr extends Node {
  readonly kind: 'select';
  readonly operand: Expr;
  readonly field: string;
  readonly testOnly: boolean;
}

/** A call to a function, method or operator. Operators have CEL's canonical names (`_+_`, `_[_]`, `_?_:_`, …). */
export interface CallExpr extends Node {
  readonly kind: 'call';
  readonly fn: string;
  readonly target: Expr | undefined;
  readonly args: readonly Expr[];
}

export interface ListExpr extends Node {
  readonly kind: 'list';
  readonly elements: readonly Expr[];
  /** Indices of optional elements (`?element`). */
  readonly optionals: ReadonlySet<number>;
}

export interface MapEntry extends Node {
  readonly key: Expr;
  readonly value: Expr;
  readonly optional: boolean;
}

export interface MapExpr extends Node {
  readonly kind: 'map';
  readonly entries: readonly MapEntry[];
}

export interface StructField extends Node {
  readonly name: string;
  readonly value: Expr;
  readonly optional: boolean;
}

export interface StructExpr extends Node {
  readonly kind: 'struct';
  readonly name: string;
  readonly fields: readonly StructField[];
}

/**
 * The macro from which a comprehension was expanded. The evaluator runs the macro as a plain loop, which is faster than
 * CEL's general definition.
 */
export type ComprehensionShape =
  | { readonly kind: 'all' | 'exists' | 'existsOne'; readonly predicate: Expr }
  | { readonly kind: 'list'; readonly filter: Expr | undefined; readonly transform: Expr }
  | { readonly kind: 'mapValues' | 'mapEntries'; readonly filter: Expr | undefined; readonly transform: Expr }
  | { readonly kind: 'bind' };

/**
 * The only loop of the language; all loop macros expand to it. The checker and cost estimates use its general parts (init,
 * condition, step, result). The evaluator uses {@link shape}.
 */
export interface ComprehensionExpr extends Node {
  readonly kind: 'comprehension';
  readonly range: Expr;
  readonly iterVar: string;
  readonly iterVar2: string | undefined;
  readonly accuVar: string;
  readonly accuInit: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
  readonly shape: ComprehensionShape;
}

/** Name of the accumulator in expanded macros. Identifiers in the source cannot start with `@`. */
export const accumulator = '@result';

/** Returns the name `a.b.c` if the expression consists only of an identifier and field selections. */
export function qualifiedName(expr: Expr): string | undefined {
  if (expr.kind === 'ident') return expr.name;
  if (expr.kind !== 'select' || expr.testOnly) return undefined;
  const prefix = qualifiedName(expr.operand);
  return prefix === undefined ? undefined : `${prefix}.${expr.field}`;
}
