import { initializerOf } from './constants.ts';
import { valueFor } from './kind-resolver.ts';
import type { ProjectView } from './project.ts';
import { ts } from './typescript.ts';

/** The possible values of a property in an object literal, which can contain spreads. */
export interface GivenOption {
  /** All expressions that the property can have as its value; several if the value depends on a condition. */
  readonly values: readonly ts.Expression[];
  /** Spread expressions that can also set the property, but cannot be resolved to object literals. */
  readonly unknown: readonly ts.Expression[];
}

/** Finds the possible values of a property in an object literal. Later members override earlier ones, as at run time. */
export function givenOption(view: ProjectView, object: ts.ObjectLiteralExpression, name: string): GivenOption {
  const values: ts.Expression[] = [];
  const unknown: ts.Expression[] = [];
  for (const member of [...object.properties].reverse()) {
    if (!ts.isSpreadAssignment(member)) {
      const value = valueFor(member, name);
      if (value === undefined) continue;
      return { values: [...values, value], unknown };
    }
    const spread = spreadObjects(view, member.expression);
    const given = spread.objects.map((each) => givenOption(view, each, name));
    values.push(...given.flatMap((each) => each.values));
    unknown.push(...given.flatMap((each) => each.unknown));
    unknown.push(...spread.unknown.filter((each) => mayHave(view, each, name)));
    if (spread.isCertain && given.some((each) => each.values.length > 0)) break;
  }
  return { values, unknown };
}

interface Spread {
  readonly objects: readonly ts.ObjectLiteralExpression[];
  readonly unknown: readonly ts.Expression[];
  /** False if a condition decides which object is spread. */
  readonly isCertain: boolean;
}

function spreadObjects(view: ProjectView, expression: ts.Expression): Spread {
  const written = withoutWrapper(expression);
  if (ts.isObjectLiteralExpression(written)) return { objects: [written], unknown: [], isCertain: true };
  const branches = branchesOf(written);
  if (branches.length > 0) {
    const spreads = branches.map((each) => spreadObjects(view, each));
    const objects = spreads.flatMap((each) => each.objects);
    return { objects, unknown: spreads.flatMap((each) => each.unknown), isCertain: false };
  }
  const isName = ts.isIdentifier(written) || ts.isPropertyAccessExpression(written);
  const declared = isName ? initializerOf(view.checker, written) : undefined;
  return declared ? spreadObjects(view, declared) : { objects: [], unknown: [written], isCertain: true };
}

/** Returns the possible results of `a ? b : c`, `a && b` and `a ?? b`. */
function branchesOf(expression: ts.Expression): readonly ts.Expression[] {
  if (ts.isConditionalExpression(expression)) return [expression.whenTrue, expression.whenFalse];
  if (!ts.isBinaryExpression(expression)) return [];
  const { kind } = expression.operatorToken;
  if (kind === ts.SyntaxKind.AmpersandAmpersandToken) return [expression.right];
  const isEither = kind === ts.SyntaxKind.BarBarToken || kind === ts.SyntaxKind.QuestionQuestionToken;
  return isEither ? [expression.left, expression.right] : [];
}

function withoutWrapper(expression: ts.Expression): ts.Expression {
  const isWrapper =
    ts.isParenthesizedExpression(expression) || ts.isAsExpression(expression) || ts.isSatisfiesExpression(expression);
  return isWrapper ? withoutWrapper(expression.expression) : expression;
}

/** True if a value of the expression's type can have the property; always true for `any`. */
function mayHave(view: ProjectView, expression: ts.Expression, name: string): boolean {
  const { checker } = view;
  const type = checker.getTypeAtLocation(expression);
  if (type.flags & ts.TypeFlags.Any) return true;
  return checker.getPropertyOfType(checker.getNonNullableType(type), name) !== undefined;
}
