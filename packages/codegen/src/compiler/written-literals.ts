import { ts } from './typescript.ts';

type Literal = string | number | boolean;

/** Returns the literals of a union, enum or constant list in the order in which they are written. */
export function writtenLiterals(node: ts.Node, checker: ts.TypeChecker): readonly Literal[] {
  if (ts.isParenthesizedTypeNode(node)) return writtenLiterals(node.type, checker);
  if (ts.isUnionTypeNode(node)) return node.types.flatMap((each) => writtenLiterals(each, checker));
  if (ts.isLiteralTypeNode(node)) return literalsOf([checker.getTypeFromTypeNode(node)], checker);
  if (ts.isIndexedAccessTypeNode(node)) {
    const list = checker.getTypeFromTypeNode(node.objectType);
    // Tuples are references.
    return checker.isTupleType(list) ? literalsOf(checker.getTypeArguments(list as ts.TypeReference), checker) : [];
  }
  if (!ts.isTypeReferenceNode(node)) return [];
  const symbol = checker.getSymbolAtLocation(node.typeName);
  const target = symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const members = (target?.declarations ?? []).filter(ts.isEnumDeclaration).flatMap((each) => [...each.members]);
  return members.map((member) => checker.getConstantValue(member)).filter((value) => value !== undefined);
}

/** Returns the values of literal types. */
export function literalsOf(types: readonly ts.Type[], checker: ts.TypeChecker): Literal[] {
  return types.map((type) =>
    type.isStringLiteral() || type.isNumberLiteral() ? type.value : checker.typeToString(type) === 'true',
  );
}
