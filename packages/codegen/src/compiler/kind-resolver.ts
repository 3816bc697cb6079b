import { parseApiVersion } from '@kubewright/apimachinery';
import { pluralOf } from '@kubewright/apimachinery/internal';
import { findBuiltinKind } from '@kubewright/schema/internal';
import { builtinKindOf, type KindRef } from './builtin-types.ts';
import { constantOf, declarationOf, initializerOf } from './constants.ts';
import type { KindModel } from './find-kinds.ts';
import type { ProjectView } from './project.ts';
import { ts } from './typescript.ts';

/** Resolves expressions and types to kinds. */
export class KindResolver {
  readonly #view: ProjectView;
  readonly #kinds: readonly KindModel[];

  constructor(view: ProjectView, kinds: readonly KindModel[]) {
    this.#view = view;
    this.#kinds = kinds;
  }

  /** A key of the project's kinds. While it is unchanged, expressions resolve to the same kinds. */
  get names(): string {
    return JSON.stringify(this.#kinds.map(({ group, version, kind, plural }) => [group, version, kind, plural]));
  }

  /** Returns the kind that an expression refers to: a built-in kind such as `Pod`, or a kind of the project. */
  ofExpression(expression: ts.Expression): KindRef | undefined {
    const { checker } = this.#view;
    // The kind is the first argument, as in `watch(Pod, …)` and `cached(Pod, …)`.
    if (ts.isCallExpression(expression)) {
      const own = this.#kinds.find(({ declaration }) => contains(declaration, expression));
      const [first] = expression.arguments;
      return own ?? (first && this.ofExpression(first));
    }
    if (ts.isObjectLiteralExpression(expression)) {
      const kind = propertyOf(expression, 'kind');
      return kind !== undefined && !ts.isStringLiteralLike(kind)
        ? this.ofExpression(kind)
        : refOf(constantOf(checker, expression)?.value);
    }
    if (!ts.isIdentifier(expression) && !ts.isPropertyAccessExpression(expression)) return undefined;
    const declaration = declarationOf(checker, expression);
    if (declaration === undefined) return undefined;
    const own = this.#kinds.find((kind) => kind.declaration === declaration || contains(declaration, kind.declaration));
    if (own !== undefined && ts.isVariableDeclaration(declaration)) return own;
    const name =
      ts.isVariableDeclaration(declaration) && ts.isIdentifier(declaration.name) ? declaration.name.text : '';
    const builtin = builtinKindOf(this.#view, declaration, name);
    if (builtin !== undefined) return builtin;
    const initializer = initializerOf(checker, expression);
    return initializer && this.ofExpression(initializer);
  }

  /**
   * Returns the kinds of the objects in an expression. Reads the kinds from literals if possible, otherwise from the
   * type.
   */
  ofObjects(expression: ts.Expression): readonly (KindRef | undefined)[] {
    const { checker } = this.#view;
    if (ts.isArrayLiteralExpression(expression)) return expression.elements.flatMap((each) => this.ofObjects(each));
    if (ts.isSpreadElement(expression)) return this.ofObjects(expression.expression);
    if (ts.isObjectLiteralExpression(expression)) {
      const text = (name: string): unknown => {
        const property = propertyOf(expression, name);
        return property && constantOf(checker, property)?.value;
      };
      const [apiVersion, kind] = [text('apiVersion'), text('kind')];
      if (typeof apiVersion === 'string' && typeof kind === 'string') return [this.#named(apiVersion, kind)];
    }
    return this.ofType(checker.getTypeAtLocation(expression));
  }

  /**
   * Returns the kinds that objects of a type can have; for a list, the kinds of its elements. An unknown kind is
   * returned as undefined.
   */
  ofType(type: ts.Type): readonly (KindRef | undefined)[] {
    const { checker } = this.#view;
    if (type.isUnion()) return type.types.flatMap((each) => this.ofType(each));
    if (!(type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection))) return [];
    if (checker.isArrayType(type) || checker.isTupleType(type)) {
      const elements = checker.getTypeArguments(type as ts.TypeReference); // lists are references
      return elements.flatMap((each) => this.ofType(each));
    }
    const own = this.#ofSameName(type);
    if (own !== undefined) return [own];
    const text = (name: string): string | undefined => {
      const property = type.getProperty(name);
      const found = property && checker.getTypeOfSymbol(property);
      return found?.isStringLiteral() ? found.value : undefined;
    };
    const [apiVersion, kind] = [text('apiVersion'), text('kind')];
    if (apiVersion !== undefined && kind !== undefined) return [this.#named(apiVersion, kind)];
    const spec = type.getProperty('spec');
    const specType = spec && checker.getTypeOfSymbol(spec);
    return [this.#kinds.find((each) => each.specType === specType)];
  }

  /** Resolves a type by the constant of the same name: `interface Ox` with `const Ox: Kind<Ox> = { … }`. */
  #ofSameName(type: ts.Type): KindRef | undefined {
    const declaration = type.getSymbol()?.valueDeclaration;
    if (declaration === undefined || !ts.isVariableDeclaration(declaration) || !declaration.initializer)
      return undefined;
    return refOf(constantOf(this.#view.checker, declaration.initializer)?.value);
  }

  #named(apiVersion: string, kind: string): KindRef | undefined {
    const { group, version } = parseApiVersion(apiVersion);
    const own = this.#kinds.find((each) => each.group === group && each.version === version && each.kind === kind);
    if (own !== undefined) return own;
    const builtin = findBuiltinKind({ group, version, kind });
    return builtin && { group, version, kind, plural: builtin.resource };
  }
}

/** Returns the value of a property that an object literal sets directly, not through a spread. */
function propertyOf(object: ts.ObjectLiteralExpression, name: string): ts.Expression | undefined {
  for (const property of object.properties) {
    const value = valueFor(property, name);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** Returns the property's value if the member of the object literal sets the property; otherwise undefined. */
export function valueFor(member: ts.ObjectLiteralElementLike, name: string): ts.Expression | undefined {
  if (member.name === undefined || !ts.isIdentifier(member.name) || member.name.text !== name) return undefined;
  if (ts.isPropertyAssignment(member)) return member.initializer;
  return ts.isShorthandPropertyAssignment(member) ? member.name : undefined;
}

function contains(outer: ts.Node, inner: ts.Node): boolean {
  return outer.getSourceFile() === inner.getSourceFile() && outer.pos <= inner.pos && inner.end <= outer.end;
}

function refOf(value: unknown): KindRef | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { group, version, kind, plural } = value as Readonly<Record<string, unknown>>; // each field is checked
  if (typeof group !== 'string' || typeof version !== 'string' || typeof kind !== 'string') return undefined;
  return { group, version, kind, plural: typeof plural === 'string' ? plural : pluralOf(kind) };
}
