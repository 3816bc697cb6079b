import { ts } from './typescript.ts';

/** The literals of a written union, in order; aliases of unions are read at their own place. */
export function writtenLiterals(node: ts.Node): readonly (string | number | boolean)[] {
  if (!ts.isUnionTypeNode(node)) return [];
  return node.types.flatMap((each): (string | number | boolean)[] => {
    if (!ts.isLiteralTypeNode(each)) return [];
    const { literal } = each;
    if (ts.isStringLiteral(literal)) return [literal.text];
    if (ts.isNumericLiteral(literal)) return [Number(literal.text)];
    return [literal.kind === ts.SyntaxKind.TrueKeyword];
  });
}
