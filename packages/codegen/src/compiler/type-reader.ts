import type { Position, Problems } from '../problem.ts';
import { builtinTypeOf } from './builtin-types.ts';
import { docsOf } from './docs-of.ts';
import type { ProjectView } from './project.ts';
import { insteadOf, type TypeFinding, unionFinding, unresolved } from './type-advice.ts';
import type { Docs, FieldModel, TypeModel } from './type-model.ts';
import { ts } from './typescript.ts';
import { literalsOf, writtenLiterals } from './written-literals.ts';

/** The position of a type in the code, and its path from the object's root. */
interface Place {
  readonly node: ts.Node;
  readonly path: string;
  /** True if the field's question mark accounts for `undefined` in the type. */
  readonly optional?: boolean;
}

const { TypeFlags, SyntaxKind, SymbolFlags } = ts;

/**
 * Reads types that JSON can represent and reports those that it cannot. Prefers the written type: the compiler drops the names
 * of aliases of simple types, and their comments.
 */
export class TypeReader {
  readonly #view: ProjectView;
  readonly #problems: Problems;
  readonly #stack: ts.Type[] = [];

  constructor(view: ProjectView, problems: Problems) {
    this.#view = view;
    this.#problems = problems;
  }

  get #checker(): ts.TypeChecker {
    return this.#view.checker;
  }

  readNode(node: ts.TypeNode, path: string): TypeModel {
    return this.#node(node, { node, path });
  }

  #node(node: ts.TypeNode, place: Place): TypeModel {
    const at: Place = { ...place, node };
    if (ts.isParenthesizedTypeNode(node)) return this.#node(node.type, place);
    if (ts.isTypeOperatorNode(node) && node.operator === SyntaxKind.ReadonlyKeyword)
      return this.#node(node.type, place);
    if (ts.isArrayTypeNode(node)) return this.#array(node.elementType, at);
    if (ts.isTypeReferenceNode(node)) return this.#reference(node, at);
    if (ts.isUnionTypeNode(node)) return this.#unionNode(node, at);
    if (ts.isTypeLiteralNode(node)) {
      const members = node.members.filter(ts.isIndexSignatureDeclaration);
      if (members.length === 1 && node.members.length === 1) {
        const [signature] = members as [ts.IndexSignatureDeclaration];
        return this.#map(signature.type, { ...at, key: signature.parameters[0]?.type, signature });
      }
    }
    if (ts.isIndexedAccessTypeNode(node)) {
      const property = this.#fieldNamed(node);
      if (property !== undefined) return this.#value(property, at);
    }
    return this.#type(this.#checker.getTypeFromTypeNode(node), at);
  }

  /** Returns the field of `Part['name']`; its comment applies to the value wherever it is used. */
  #fieldNamed({ objectType, indexType }: ts.IndexedAccessTypeNode): ts.Symbol | undefined {
    const index = this.#checker.getTypeFromTypeNode(indexType);
    const owner = this.#checker.getTypeFromTypeNode(objectType);
    return index.isStringLiteral() ? owner.getProperty(index.value) : undefined;
  }

  #array(element: ts.TypeNode, place: Place): TypeModel {
    const items = this.#node(element, { node: element, path: `${place.path}[]` });
    return { type: 'array', items, ...this.#base(place) };
  }

  #map(
    value: ts.TypeNode,
    place: Place & { readonly key: ts.TypeNode | undefined; readonly signature?: ts.IndexSignatureDeclaration },
  ): TypeModel {
    const key = place.key && this.#checker.getTypeFromTypeNode(place.key);
    if (key === undefined || !(primitiveOf(key).flags & TypeFlags.String)) {
      return this.#notByText(place, place.key?.getText() ?? 'nothing');
    }
    const values = this.#node(value, { node: value, path: `${place.path}{}` });
    return { type: 'map', values: this.#described(values, place.signature), ...this.#base(place) };
  }

  /** Adds the comment of an index signature, which applies to the values. */
  #described(values: TypeModel, signature: ts.Node | undefined): TypeModel {
    if (signature === undefined || !ts.isIndexSignatureDeclaration(signature)) return values;
    return {
      ...values,
      docs: [...values.docs, docsOf(signature, 'field', { view: this.#view, problems: this.#problems })],
    };
  }

  #notByText(place: Place, key: string): TypeModel {
    const why = 'the keys of a JSON object are strings';
    return this.#broken(place, {
      what: `the keys of the map are of type ${key}`,
      why,
      fix: 'use Readonly<Record<string, …>>',
    });
  }

  #reference(node: ts.TypeReferenceNode, place: Place): TypeModel {
    const [first, second] = node.typeArguments ?? [];
    const symbol = this.#symbolOf(node.typeName);
    const isGlobal = symbol?.declarations?.some((each) => this.#view.isLibrary(each)) ?? false;
    if (isGlobal && first !== undefined) {
      if (symbol?.name === 'Array' || symbol?.name === 'ReadonlyArray') return this.#array(first, place);
      if (symbol?.name === 'Readonly') return this.#node(first, place);
      if (symbol?.name === 'NonNullable') {
        const { nullable: _, ...model } = this.#node(first, place);
        return model;
      }
      if (symbol?.name === 'Record' && second !== undefined && this.#isString(first)) {
        return this.#map(second, { ...place, key: first });
      }
    }
    const alias = symbol?.declarations?.find(ts.isTypeAliasDeclaration);
    if (symbol !== undefined && alias !== undefined && !alias.typeParameters && !isGlobal) {
      const builtin = this.#builtin(alias, symbol.name, place);
      if (builtin !== undefined) return builtin;
      const docs = docsOf(alias, 'type', { view: this.#view, problems: this.#problems });
      const model = this.#node(alias.type, { ...place, node: alias.type });
      return { ...model, docs: [...model.docs, docs] };
    }
    return this.#type(this.#checker.getTypeFromTypeNode(node), place);
  }

  #isString(node: ts.TypeNode): boolean {
    return (primitiveOf(this.#checker.getTypeFromTypeNode(node)).flags & TypeFlags.String) !== 0;
  }

  #symbolOf(name: ts.EntityName): ts.Symbol | undefined {
    const symbol = this.#checker.getSymbolAtLocation(name);
    return symbol && symbol.flags & SymbolFlags.Alias ? this.#checker.getAliasedSymbol(symbol) : symbol;
  }

  /** A written union of a type with null keeps the name of that type. */
  #unionNode(node: ts.UnionTypeNode, place: Place): TypeModel {
    const isNothing = (each: ts.TypeNode): boolean =>
      (this.#checker.getTypeFromTypeNode(each).flags & (TypeFlags.Undefined | TypeFlags.Null)) !== 0;
    const rest = node.types.filter((each) => !isNothing(each));
    if (rest.length !== 1) return this.#type(this.#checker.getTypeFromTypeNode(node), place);
    const [only] = rest as [ts.TypeNode];
    const nullable = (this.#checker.getTypeFromTypeNode(node).flags & TypeFlags.Union) !== 0 && this.#hasNull(node);
    const model = this.#node(only, place);
    return nullable ? { ...model, nullable } : model;
  }

  #hasNull(node: ts.UnionTypeNode): boolean {
    return node.types.some((each) => this.#checker.getTypeFromTypeNode(each).flags & TypeFlags.Null);
  }

  #type(type: ts.Type, place: Place): TypeModel {
    const base = this.#base(place);
    const { flags } = type;
    if (flags & TypeFlags.Any) return this.#any(type, place);
    if (flags & (TypeFlags.Null | TypeFlags.Undefined | TypeFlags.VoidLike | TypeFlags.Never)) {
      const what = `the type ${place.node.getText()} alone does not describe a value`;
      return this.#broken(place, { what, fix: 'remove the field, or use the type of its values' });
    }
    if (flags & TypeFlags.Unknown || flags & TypeFlags.NonPrimitive) return { type: 'unknown', ...base };
    if (flags & TypeFlags.String) return { type: 'string', ...base };
    if (flags & TypeFlags.Number) return { type: 'number', ...base };
    if (flags & TypeFlags.Boolean) return { type: 'boolean', ...base };
    if (type.isLiteral() || flags & TypeFlags.BooleanLiteral) return this.#literals([type], place);
    if (type.isUnion()) return this.#union(type, place);
    const branded = primitiveOf(type);
    if (branded !== type) return this.#type(branded, place);
    if (flags & (TypeFlags.Object | TypeFlags.Intersection)) return this.#object(type, place);
    if (flags & TypeFlags.Enum) {
      const what = `the values of ${this.#checker.typeToString(type)} are computed`;
      return this.#broken(place, {
        what,
        why: 'a schema must list all values',
        fix: "write them as literals: 'a' | 'b'",
      });
    }
    return this.#broken(place, {
      what: `the type ${this.#checker.typeToString(type)} has no JSON schema`,
      fix: insteadOf(this.#checker.typeToString(type)),
    });
  }

  #any(type: ts.Type, place: Place): TypeModel {
    if ('intrinsicName' in type && type.intrinsicName === 'error') {
      const { code, ...finding } = unresolved(place.node.getText());
      this.#report(place, code, finding);
      return { type: 'broken', ...this.#base(place) };
    }
    return this.#broken(place, {
      what: 'the type any has no JSON schema',
      fix: 'use a specific type, or, for any JSON value, unknown with the tag @preserveUnknownFields',
    });
  }

  #union(type: ts.UnionType, place: Place): TypeModel {
    const nothing = TypeFlags.Undefined | TypeFlags.Null;
    const parts = type.types.filter(({ flags }) => !(flags & nothing));
    const nullable = type.types.some(({ flags }) => flags & TypeFlags.Null) ? { nullable: true } : {};
    const all = (flags: ts.TypeFlags): boolean => parts.every((part) => part.flags & flags);
    if (parts.length === 0) return this.#type(type.types[0] as ts.Type, place);
    if (all(TypeFlags.BooleanLiteral) && parts.length === 2) {
      return { type: 'boolean', ...this.#base(place), ...nullable };
    }
    if (all(TypeFlags.StringLiteral) || all(TypeFlags.NumberLiteral) || all(TypeFlags.BooleanLiteral)) {
      return { ...this.#literals(parts, place), ...nullable };
    }
    if (parts.length === 1) return { ...this.#type(parts[0] as ts.Type, place), ...nullable };
    // 'a' | (string & {}) accepts any string and lets editors suggest values.
    const primitives = parts.map(primitiveOf);
    const [primitive] = primitives.filter(({ flags }) => flags & (TypeFlags.String | TypeFlags.Number));
    const family = primitive && (primitive.flags & TypeFlags.String ? TypeFlags.StringLike : TypeFlags.NumberLike);
    if (primitive !== undefined && primitives.every(({ flags }) => flags & (family ?? 0))) {
      return { ...this.#type(primitive, place), ...nullable };
    }
    const [list] = parts.filter((part) => this.#checker.isArrayType(part));
    const element = list && this.#checker.getTypeArguments(list as ts.TypeReference)[0]; // arrays are references
    return this.#broken(
      place,
      unionFinding(this.#checker.typeToString(type), {
        areLiterals: parts.every((part) => part.isLiteral() || part.flags & TypeFlags.BooleanLiteral),
        areTextAndNumber: parts.length === 2 && all(TypeFlags.String | TypeFlags.Number),
        isListOrElement: parts.length === 2 && parts.some((part) => part === element),
      }),
    );
  }

  /** Keeps the written order if possible; the compiler orders literals by their first use in the program. */
  #literals(parts: readonly ts.Type[], place: Place): TypeModel {
    const values = literalsOf(parts, this.#checker);
    const written = writtenLiterals(place.node, this.#checker);
    const order = (value: string | number | boolean): number => written.indexOf(value);
    if (values.every((value) => order(value) !== -1)) values.sort((a, b) => order(a) - order(b));
    else values.sort((a, b) => (a < b ? -1 : 1));
    return { type: 'literals', values, ...this.#base(place) };
  }

  #object(type: ts.Type, place: Place): TypeModel {
    const symbol = type.getSymbol();
    const [declaration] = symbol?.declarations ?? [];
    if (symbol !== undefined && declaration !== undefined && isNamed(declaration)) {
      const builtin = this.#builtin(declaration, symbol.name, place);
      if (builtin !== undefined) return builtin;
      if (this.#view.isLibrary(declaration) || ts.isClassDeclaration(declaration)) {
        const array = this.#listOf(type, place);
        if (array !== undefined) return array;
        const what = `the class ${symbol.name} cannot be represented in JSON`;
        return this.#broken(place, { what, fix: insteadOf(symbol.name) });
      }
    }
    const other = this.#listOf(type, place) ?? this.#refuseCallable(type, place) ?? this.#indexed(type, place);
    if (other !== undefined) return other;
    if (this.#stack.includes(type)) {
      const what = `the type ${this.#checker.typeToString(type)} contains itself`;
      const why = 'a structural schema has no references, so it would be infinite';
      const fix = 'refer to nested items by name in a flat list, or use unknown with the tag @preserveUnknownFields';
      this.#report(place, 'KW6103', { what, why, fix });
      return { type: 'broken', ...this.#base(place) };
    }
    const isEmpty = type.isIntersection() && type.getProperties().length === 0;
    if (isEmpty && type.types.some((each) => each.getProperties().length > 0)) {
      const what = `the parts of ${place.node.getText()} contradict each other`;
      const why = 'a field has a different type in each, so no value is valid';
      return this.#broken(place, {
        what,
        why,
        fix: 'give the field the same type in both, or omit it from one: Omit<…, …>',
      });
    }
    this.#stack.push(type);
    try {
      const fields = type.getProperties().map((property) => this.#field(property, place));
      return { type: 'object', fields, ...this.#base(place), docs: this.#typeDocs(type) };
    } finally {
      this.#stack.pop();
    }
  }

  #typeDocs(type: ts.Type): readonly Docs[] {
    const declarations = (type.getSymbol()?.declarations ?? []).filter(ts.isInterfaceDeclaration);
    return declarations.map((each) => docsOf(each, 'type', { view: this.#view, problems: this.#problems }));
  }

  #listOf(type: ts.Type, place: Place): TypeModel | undefined {
    if (this.#checker.isTupleType(type)) {
      return this.#broken(place, {
        what: 'a tuple has no structural schema',
        why: 'all elements of a list must have the same type',
        fix: 'use an object with named fields, or an array of one type with @minItems and @maxItems',
      });
    }
    if (!this.#checker.isArrayType(type)) return undefined;
    const [element] = this.#checker.getTypeArguments(type as ts.TypeReference); // arrays are references
    if (element === undefined) return undefined;
    return { type: 'array', items: this.#type(element, { ...place, path: `${place.path}[]` }), ...this.#base(place) };
  }

  #refuseCallable(type: ts.Type, place: Place): TypeModel | undefined {
    if (type.getCallSignatures().length + type.getConstructSignatures().length === 0) return undefined;
    return this.#broken(place, {
      what: 'functions cannot be represented in JSON',
      fix: 'remove it: spec and status can only contain JSON data',
    });
  }

  #indexed(type: ts.Type, place: Place): TypeModel | undefined {
    const [index, ...more] = this.#checker.getIndexInfosOfType(type);
    if (index === undefined) return undefined;
    if (!(index.keyType.flags & TypeFlags.String))
      return this.#notByText(place, this.#checker.typeToString(index.keyType));
    if (more.length > 0 || type.getProperties().length > 0) {
      return this.#broken(place, {
        what: 'the object has both named fields and an index signature',
        why: 'a structural schema has either named fields or one type for all values',
        fix: 'move the other values to a separate map: Readonly<Record<string, …>>',
      });
    }
    const values = this.#type(index.type, { ...place, path: `${place.path}{}` });
    return { type: 'map', values: this.#described(values, index.declaration), ...this.#base(place) };
  }

  #field(property: ts.Symbol, place: Place): FieldModel {
    const { name } = property;
    const path = place.path === '' ? name : `${place.path}.${name}`;
    const [declaration] = property.declarations ?? [];
    const optional = (property.flags & SymbolFlags.Optional) !== 0;
    const node = declaration ?? place.node;
    if (!optional && this.#mayBeUndefined(property)) {
      this.#report({ node, path }, 'KW6102', {
        what: `${name} is required but can be undefined`,
        why: 'JSON has no undefined: the field would be missing, and the API server would reject the object',
        fix: `make the field optional: ${name}?: …`,
      });
    }
    return { name, optional, at: this.#view.position(node), type: this.#value(property, { node, path }) };
  }

  #mayBeUndefined(property: ts.Symbol): boolean {
    const type = this.#checker.getTypeOfSymbol(property);
    return type.isUnion() && type.types.some(({ flags }) => flags & TypeFlags.Undefined);
  }

  /** Returns the type of a field's values, with its comment. */
  #value(property: ts.Symbol, { node, path }: Place): TypeModel {
    const { name } = property;
    const [declaration] = property.declarations ?? [];
    const optional = (property.flags & SymbolFlags.Optional) !== 0;
    const present = this.#present(this.#checker.getTypeOfSymbol(property), optional);
    if (declaration === undefined) return this.#type(present, { node, path });
    const ofBuiltin = ts.isPropertySignature(declaration) && this.#builtinField(declaration, name, { node, path });
    if (ofBuiltin) return ofBuiltin;
    const docs = docsOf(declaration, 'field', { view: this.#view, problems: this.#problems });
    const written = ts.isPropertySignature(declaration) ? declaration.type : undefined;
    const model = this.#written(written, present, { node, path, optional });
    return { ...model, at: this.#view.position(node), docs: [...model.docs, docs] };
  }

  /** A type parameter has a different type at each use, so the actual type takes precedence over the written one. */
  #written(written: ts.TypeNode | undefined, present: ts.Type, place: Place): TypeModel {
    if (written === undefined) return this.#type(present, place);
    const type = this.#checker.getTypeFromTypeNode(written);
    const isThatType = (type.flags & TypeFlags.Any) !== 0 || this.#present(type, place.optional === true) === present;
    const isNothing = (type.flags & (TypeFlags.VoidLike | TypeFlags.Never | TypeFlags.Null)) !== 0;
    return isThatType || isNothing ? this.#node(written, { ...place, node: written }) : this.#type(present, place);
  }

  #present(type: ts.Type, optional: boolean): ts.Type {
    return optional ? (this.#checker.getNonNullableType(type) === type ? type : this.#withoutUndefined(type)) : type;
  }

  #withoutUndefined(type: ts.Type): ts.Type {
    if (!type.isUnion() || type.types.some(({ flags }) => flags & TypeFlags.Null)) return type;
    return this.#checker.getNonNullableType(type);
  }

  #builtin(declaration: ts.Node, name: string, place: Place): TypeModel | undefined {
    const builtin = builtinTypeOf(this.#view, declaration, name);
    if (builtin === undefined) return undefined;
    if (builtin.type === 'definition') {
      return { type: 'builtin', definition: builtin.definition, ...this.#base(place) };
    }
    if (builtin.type !== 'class') return { type: builtin.type, ...this.#base(place) };
    return this.#broken(place, { what: `the class ${name} cannot be represented in JSON`, fix: insteadOf(name) });
  }

  /** Returns the model of a field that a project's type inherits from a Kubernetes type. */
  #builtinField(declaration: ts.PropertySignature, name: string, place: Place): TypeModel | undefined {
    const owner = declaration.parent;
    if (!ts.isInterfaceDeclaration(owner)) return undefined;
    const builtin = builtinTypeOf(this.#view, owner, owner.name.text);
    if (builtin?.type !== 'definition') return undefined;
    return { type: 'builtin', definition: builtin.definition, field: name, ...this.#base(place) };
  }

  #base(place: Place): { readonly at: Position; readonly docs: readonly Docs[] } {
    return { at: this.#view.position(place.node), docs: [] };
  }

  #broken(place: Place, finding: TypeFinding): TypeModel {
    this.#report(place, 'KW6102', finding);
    return { type: 'broken', ...this.#base(place) };
  }

  #report(place: Place, code: 'KW6102' | 'KW6103' | 'KW6104', finding: TypeFinding): void {
    const path = place.path === '' ? {} : { path: place.path };
    this.#problems.add(this.#view.position(place.node), { code, ...path, ...finding });
  }
}

function isNamed(declaration: ts.Declaration): boolean {
  return ts.isInterfaceDeclaration(declaration) || ts.isClassDeclaration(declaration);
}

/** Returns the string type of `string & { readonly brand: 'Id' }`: only the compiler uses the brand. */
function primitiveOf(type: ts.Type): ts.Type {
  if (!type.isIntersection()) return type;
  const primitive = TypeFlags.StringLike | TypeFlags.NumberLike | TypeFlags.BooleanLike;
  return type.types.find(({ flags }) => flags & primitive) ?? type;
}
