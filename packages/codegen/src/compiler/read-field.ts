import { builtinTypeOf } from './builtin-types.ts';
import { docsOf } from './docs-of.ts';
import { baseOf, type Place, type Reading, report } from './reading.ts';
import type { FieldModel, TypeModel } from './type-model.ts';
import { ts } from './typescript.ts';

const { TypeFlags, SymbolFlags } = ts;

/** Reads a field of an object. */
export function field(reading: Reading, property: ts.Symbol, place: Place): FieldModel {
  const { name } = property;
  const path = place.path === '' ? name : `${place.path}.${name}`;
  const [declaration] = property.declarations ?? [];
  const optional = (property.flags & SymbolFlags.Optional) !== 0;
  const node = declaration ?? place.node;
  if (!optional && mayBeUndefined(reading, property)) {
    report(reading, { node, path }, 'KW6102', {
      what: `${name} is required but can be undefined`,
      why: 'JSON has no undefined: the field would be missing, and the API server would reject the object',
      fix: `make the field optional: ${name}?: …`,
    });
  }
  return { name, optional, at: reading.view.position(node), type: reading.value(property, { node, path }) };
}

function mayBeUndefined(reading: Reading, property: ts.Symbol): boolean {
  const type = reading.checker.getTypeOfSymbol(property);
  return type.isUnion() && type.types.some(({ flags }) => flags & TypeFlags.Undefined);
}

/** Returns the model of a field's type, including the field's comment. */
export function readField(reading: Reading, property: ts.Symbol, { node, path }: Place): TypeModel {
  const { name } = property;
  const [declaration] = property.declarations ?? [];
  const optional = (property.flags & SymbolFlags.Optional) !== 0;
  const present = presentType(reading, reading.checker.getTypeOfSymbol(property), optional);
  if (declaration === undefined) return reading.type(present, { node, path });
  const ofBuiltin = ts.isPropertySignature(declaration) && builtinField(reading, declaration, name, { node, path });
  if (ofBuiltin) return ofBuiltin;
  const docs = docsOf(declaration, 'field', reading);
  const written = ts.isPropertySignature(declaration) ? declaration.type : undefined;
  const model = writtenModel(reading, written, present, { node, path, optional });
  return { ...model, at: reading.view.position(node), docs: [...model.docs, docs] };
}

/**
 * Reads the type as written if it is the actual type. Otherwise, reads the actual type: if the written type has type
 * parameters, they stand for a different type at each use.
 */
function writtenModel(reading: Reading, written: ts.TypeNode | undefined, present: ts.Type, place: Place): TypeModel {
  if (written === undefined) return reading.type(present, place);
  const type = reading.checker.getTypeFromTypeNode(written);
  const isThatType =
    (type.flags & TypeFlags.Any) !== 0 || presentType(reading, type, place.optional === true) === present;
  const isNothing = (type.flags & (TypeFlags.VoidLike | TypeFlags.Never | TypeFlags.Null)) !== 0;
  return isThatType || isNothing ? reading.node(written, { ...place, node: written }) : reading.type(present, place);
}

function presentType(reading: Reading, type: ts.Type, optional: boolean): ts.Type {
  return optional ? (reading.checker.getNonNullableType(type) === type ? type : withoutUndefined(reading, type)) : type;
}

function withoutUndefined(reading: Reading, type: ts.Type): ts.Type {
  if (!type.isUnion() || type.types.some(({ flags }) => flags & TypeFlags.Null)) return type;
  return reading.checker.getNonNullableType(type);
}

/** Returns the model of a field that a type of the project inherits from a Kubernetes type. */
function builtinField(
  reading: Reading,
  declaration: ts.PropertySignature,
  name: string,
  place: Place,
): TypeModel | undefined {
  const owner = declaration.parent;
  if (!ts.isInterfaceDeclaration(owner)) return undefined;
  const builtin = builtinTypeOf(reading.view, owner, owner.name.text);
  if (builtin?.type !== 'definition') return undefined;
  return { type: 'builtin', definition: builtin.definition, field: name, ...baseOf(reading, place) };
}
