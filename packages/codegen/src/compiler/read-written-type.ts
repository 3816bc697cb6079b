import { docsOf } from './docs-of.ts';
import { baseOf, builtinModel, described, notByText, type Place, primitiveOf, type Reading } from './reading.ts';
import type { TypeModel } from './type-model.ts';
import { ts } from './typescript.ts';

const { TypeFlags, SyntaxKind, SymbolFlags } = ts;

/** Reads a type as written, which preserves the names and comments of aliases. */
export function readWritten(reading: Reading, node: ts.TypeNode, place: Place): TypeModel {
  const at: Place = { ...place, node };
  if (ts.isParenthesizedTypeNode(node)) return reading.node(node.type, place);
  if (ts.isTypeOperatorNode(node) && node.operator === SyntaxKind.ReadonlyKeyword)
    return reading.node(node.type, place);
  if (ts.isArrayTypeNode(node)) return array(reading, node.elementType, at);
  if (ts.isTypeReferenceNode(node)) return reference(reading, node, at);
  if (ts.isUnionTypeNode(node)) return unionNode(reading, node, at);
  if (ts.isTypeLiteralNode(node)) {
    const members = node.members.filter(ts.isIndexSignatureDeclaration);
    if (members.length === 1 && node.members.length === 1) {
      const [signature] = members as [ts.IndexSignatureDeclaration];
      return map(reading, signature.type, { ...at, key: signature.parameters[0]?.type, signature });
    }
  }
  if (ts.isIndexedAccessTypeNode(node)) {
    const property = fieldNamed(reading, node);
    if (property !== undefined) return reading.value(property, at);
  }
  return reading.type(reading.checker.getTypeFromTypeNode(node), at);
}

/** Returns the field that `Part['name']` refers to. The field's comment also applies to this value. */
function fieldNamed(reading: Reading, { objectType, indexType }: ts.IndexedAccessTypeNode): ts.Symbol | undefined {
  const index = reading.checker.getTypeFromTypeNode(indexType);
  const owner = reading.checker.getTypeFromTypeNode(objectType);
  return index.isStringLiteral() ? owner.getProperty(index.value) : undefined;
}

function array(reading: Reading, element: ts.TypeNode, place: Place): TypeModel {
  const items = reading.node(element, { node: element, path: `${place.path}[]` });
  return { type: 'array', items, ...baseOf(reading, place) };
}

function map(
  reading: Reading,
  value: ts.TypeNode,
  place: Place & { readonly key: ts.TypeNode | undefined; readonly signature?: ts.IndexSignatureDeclaration },
): TypeModel {
  const key = place.key && reading.checker.getTypeFromTypeNode(place.key);
  if (key === undefined || !(primitiveOf(key).flags & TypeFlags.String)) {
    return notByText(reading, place, place.key?.getText() ?? 'nothing');
  }
  const values = reading.node(value, { node: value, path: `${place.path}{}` });
  return { type: 'map', values: described(reading, values, place.signature), ...baseOf(reading, place) };
}

function reference(reading: Reading, node: ts.TypeReferenceNode, place: Place): TypeModel {
  const [first, second] = node.typeArguments ?? [];
  const symbol = symbolOf(reading, node.typeName);
  const isGlobal = symbol?.declarations?.some((each) => reading.view.isLibrary(each)) ?? false;
  if (isGlobal && first !== undefined) {
    if (symbol?.name === 'Array' || symbol?.name === 'ReadonlyArray') return array(reading, first, place);
    if (symbol?.name === 'Readonly') return reading.node(first, place);
    if (symbol?.name === 'NonNullable') {
      const { nullable: _, ...model } = reading.node(first, place);
      return model;
    }
    if (symbol?.name === 'Record' && second !== undefined && isString(reading, first)) {
      return map(reading, second, { ...place, key: first });
    }
  }
  const alias = symbol?.declarations?.find(ts.isTypeAliasDeclaration);
  if (symbol !== undefined && alias !== undefined && !alias.typeParameters && !isGlobal) {
    const builtin = builtinModel(reading, alias, symbol.name, place);
    if (builtin !== undefined) return builtin;
    const docs = docsOf(alias, 'type', reading);
    const model = reading.node(alias.type, { ...place, node: alias.type });
    return { ...model, docs: [...model.docs, docs] };
  }
  return reading.type(reading.checker.getTypeFromTypeNode(node), place);
}

function isString(reading: Reading, node: ts.TypeNode): boolean {
  return (primitiveOf(reading.checker.getTypeFromTypeNode(node)).flags & TypeFlags.String) !== 0;
}

function symbolOf(reading: Reading, name: ts.EntityName): ts.Symbol | undefined {
  const symbol = reading.checker.getSymbolAtLocation(name);
  return symbol && symbol.flags & SymbolFlags.Alias ? reading.checker.getAliasedSymbol(symbol) : symbol;
}

/** Reads a union as written if it only adds null or undefined to one type, to keep the name of that type. */
function unionNode(reading: Reading, node: ts.UnionTypeNode, place: Place): TypeModel {
  const isNothing = (each: ts.TypeNode): boolean =>
    (reading.checker.getTypeFromTypeNode(each).flags & (TypeFlags.Undefined | TypeFlags.Null)) !== 0;
  const rest = node.types.filter((each) => !isNothing(each));
  if (rest.length !== 1) return reading.type(reading.checker.getTypeFromTypeNode(node), place);
  const [only] = rest as [ts.TypeNode];
  const nullable = (reading.checker.getTypeFromTypeNode(node).flags & TypeFlags.Union) !== 0 && hasNull(reading, node);
  const model = reading.node(only, place);
  return nullable ? { ...model, nullable } : model;
}

function hasNull(reading: Reading, node: ts.UnionTypeNode): boolean {
  return node.types.some((each) => reading.checker.getTypeFromTypeNode(each).flags & TypeFlags.Null);
}
