import type { Position, Problems } from '../problem.ts';
import { builtinTypeOf } from './builtin-types.ts';
import { docsOf } from './docs-of.ts';
import type { ProjectView } from './project.ts';
import { insteadOf, type TypeFinding } from './type-advice.ts';
import type { Docs, TypeModel } from './type-model.ts';
import { ts } from './typescript.ts';

/** The position of a type in the code, and its path from the object's root. */
export interface Place {
  readonly node: ts.Node;
  readonly path: string;
  /** True if the field's question mark accounts for `undefined` in the type. */
  readonly optional?: boolean | undefined;
}

/** The state that the parts of a `TypeReader` share, and the functions through which the parts call each other. */
export interface Reading {
  readonly view: ProjectView;
  readonly checker: ts.TypeChecker;
  readonly problems: Problems;
  /** The object types that contain the current one, to detect recursive types. */
  readonly stack: ts.Type[];
  /** Reads a type as written. */
  node(node: ts.TypeNode, place: Place): TypeModel;
  /** Reads a type as the compiler sees it. */
  type(type: ts.Type, place: Place): TypeModel;
  /** Reads the type of a field. */
  value(property: ts.Symbol, place: Place): TypeModel;
}

/** Returns the fields that every model has. */
export function baseOf(reading: Reading, place: Place): { readonly at: Position; readonly docs: readonly Docs[] } {
  return { at: reading.view.position(place.node), docs: [] };
}

/** Reports that a type cannot be represented in JSON, and returns a placeholder model. */
export function broken(reading: Reading, place: Place, finding: TypeFinding): TypeModel {
  report(reading, place, 'KW6102', finding);
  return { type: 'broken', ...baseOf(reading, place) };
}

/** Reports a problem at a position in the code. */
export function report(
  reading: Reading,
  place: Place,
  code: 'KW6102' | 'KW6103' | 'KW6104',
  finding: TypeFinding,
): void {
  const path = place.path === '' ? {} : { path: place.path };
  reading.problems.add(reading.view.position(place.node), { code, ...path, ...finding });
}

/** Returns the model of a type that Kubernetes or Kubewright declares, or undefined for the project's own types. */
export function builtinModel(
  reading: Reading,
  declaration: ts.Node,
  name: string,
  place: Place,
): TypeModel | undefined {
  const builtin = builtinTypeOf(reading.view, declaration, name);
  if (builtin === undefined) return undefined;
  if (builtin.type === 'definition') {
    return { type: 'builtin', definition: builtin.definition, ...baseOf(reading, place) };
  }
  if (builtin.type !== 'class') return { type: builtin.type, ...baseOf(reading, place) };
  return broken(reading, place, { what: `the class ${name} cannot be represented in JSON`, fix: insteadOf(name) });
}

/** Adds the comment of a map's index signature to the model of the map's values. */
export function described(reading: Reading, values: TypeModel, signature: ts.Node | undefined): TypeModel {
  if (signature === undefined || !ts.isIndexSignatureDeclaration(signature)) return values;
  return {
    ...values,
    docs: [...values.docs, docsOf(signature, 'field', reading)],
  };
}

/** Reports a map whose keys are not strings. */
export function notByText(reading: Reading, place: Place, key: string): TypeModel {
  const why = 'the keys of a JSON object are strings';
  return broken(reading, place, {
    what: `the keys of the map are of type ${key}`,
    why,
    fix: 'use Readonly<Record<string, …>>',
  });
}

/**
 * Returns the primitive type of a branded type: `string` for `string & { readonly brand: 'Id' }`. Brands do not exist at run
 * time.
 */
export function primitiveOf(type: ts.Type): ts.Type {
  if (!type.isIntersection()) return type;
  const primitive = ts.TypeFlags.StringLike | ts.TypeFlags.NumberLike | ts.TypeFlags.BooleanLike;
  return type.types.find(({ flags }) => flags & primitive) ?? type;
}
