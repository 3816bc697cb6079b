import { ts } from './typescript.ts';

/** The value of an expression, if it is known without running the code. */
export type Constant = { readonly value: unknown } | undefined;

const maxDepth = 50;

/**
 * Evaluates an expression that consists of literals, arrays, objects, spreads, and constants with such values, which
 * can be declared in other files. Returns undefined for anything that is only known at run time.
 */
export function constantOf(checker: ts.TypeChecker, expression: ts.Expression): Constant {
  return evaluate(checker, expression, 0);
}

function evaluate(checker: ts.TypeChecker, node: ts.Expression, depth: number): Constant {
  if (depth > maxDepth) return undefined;
  const of = (each: ts.Expression): Constant => evaluate(checker, each, depth + 1);
  if (ts.isStringLiteralLike(node)) return { value: node.text };
  if (ts.isNumericLiteral(node)) return { value: Number(node.text) };
  if (node.kind === ts.SyntaxKind.TrueKeyword) return { value: true };
  if (node.kind === ts.SyntaxKind.FalseKeyword) return { value: false };
  if (node.kind === ts.SyntaxKind.NullKeyword) return { value: null };
  if (isWrapper(node)) return of(node.expression);
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.MinusToken) {
    const operand = of(node.operand)?.value;
    return typeof operand === 'number' ? { value: -operand } : undefined;
  }
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    const [left, right] = [of(node.left)?.value, of(node.right)?.value];
    return typeof left === 'string' && typeof right === 'string' ? { value: left + right } : undefined;
  }
  if (ts.isTemplateExpression(node)) return template(node, of);
  if (ts.isArrayLiteralExpression(node)) return list(node, of);
  if (ts.isObjectLiteralExpression(node)) return object(node, of);
  if (ts.isIdentifier(node) || ts.isPropertyAccessExpression(node)) {
    const declared = initializerOf(checker, node);
    if (declared !== undefined) return of(declared);
    if (!ts.isPropertyAccessExpression(node)) return undefined;
    const owner = of(node.expression)?.value;
    if (typeof owner !== 'object' || owner === null || !Object.hasOwn(owner, node.name.text)) return undefined;
    return { value: Reflect.get(owner, node.name.text) };
  }
  return undefined;
}

function isWrapper(
  node: ts.Expression,
): node is ts.AsExpression | ts.SatisfiesExpression | ts.ParenthesizedExpression | ts.NonNullExpression {
  return (
    ts.isAsExpression(node) ||
    ts.isSatisfiesExpression(node) ||
    ts.isParenthesizedExpression(node) ||
    ts.isNonNullExpression(node)
  );
}

type Evaluate = (node: ts.Expression) => Constant;

function template(node: ts.TemplateExpression, of: Evaluate): Constant {
  let text = node.head.text;
  for (const { expression, literal } of node.templateSpans) {
    const value = of(expression)?.value;
    if (typeof value !== 'string' && typeof value !== 'number') return undefined;
    text += `${value}${literal.text}`;
  }
  return { value: text };
}

function list(node: ts.ArrayLiteralExpression, of: Evaluate): Constant {
  const values: unknown[] = [];
  for (const element of node.elements) {
    const found = of(ts.isSpreadElement(element) ? element.expression : element);
    if (found === undefined) return undefined;
    if (!ts.isSpreadElement(element)) values.push(found.value);
    else if (Array.isArray(found.value)) values.push(...found.value);
    else return undefined;
  }
  return { value: values };
}

function object(node: ts.ObjectLiteralExpression, of: Evaluate): Constant {
  const fields = new Map<string, unknown>();
  for (const property of node.properties) {
    if (ts.isSpreadAssignment(property)) {
      const found = of(property.expression)?.value;
      if (typeof found !== 'object' || found === null) return undefined;
      for (const [name, value] of Object.entries(found)) fields.set(name, value);
      continue;
    }
    const name = property.name === undefined ? undefined : nameOf(property.name);
    if (name === undefined) return undefined;
    const value = ts.isPropertyAssignment(property)
      ? of(property.initializer)
      : ts.isShorthandPropertyAssignment(property)
        ? of(property.name)
        : undefined;
    if (value === undefined) return undefined;
    fields.set(name, value.value);
  }
  // Unlike assignments, Object.fromEntries defines own properties, even one named __proto__.
  return { value: Object.fromEntries(fields) };
}

/**
 * Returns the name of a property if it is a literal. `['name']` counts as a literal, because it is the only way to
 * define a field named `__proto__`.
 */
export function nameOf(name: ts.PropertyName): string | undefined {
  if (ts.isComputedPropertyName(name) && ts.isStringLiteralLike(name.expression)) return name.expression.text;
  if (ts.isIdentifier(name) || ts.isStringLiteralLike(name) || ts.isNumericLiteral(name)) return name.text;
  return undefined;
}

/** Returns the declaration of a name, following imports. */
export function declarationOf(checker: ts.TypeChecker, node: ts.Node): ts.Declaration | undefined {
  let symbol = ts.isShorthandPropertyAssignment(node.parent)
    ? checker.getShorthandAssignmentValueSymbol(node.parent)
    : checker.getSymbolAtLocation(ts.isPropertyAccessExpression(node) ? node.name : node);
  if (symbol !== undefined && symbol.flags & ts.SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol);
  // Prefers the value, because the same name can also be declared as a type: `export const Pod` and `export interface
  // Pod`.
  return symbol?.valueDeclaration ?? symbol?.declarations?.[0];
}

/** Returns the initializer of a `const`. */
export function initializerOf(checker: ts.TypeChecker, node: ts.Expression): ts.Expression | undefined {
  const declaration = declarationOf(checker, node);
  if (declaration === undefined || !ts.isVariableDeclaration(declaration)) return undefined;
  return ts.getCombinedNodeFlags(declaration) & ts.NodeFlags.Const ? declaration.initializer : undefined;
}
