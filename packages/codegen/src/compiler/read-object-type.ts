import { docsOf } from './docs-of.ts';
import { field } from './read-field.ts';
import { baseOf, broken, builtinModel, described, notByText, type Place, type Reading, report } from './reading.ts';
import { insteadOf } from './type-advice.ts';
import type { Docs, TypeModel } from './type-model.ts';
import { ts } from './typescript.ts';

const { TypeFlags } = ts;

/** Reads an object type, a class, a list or a map. */
export function readObject(reading: Reading, type: ts.Type, place: Place): TypeModel {
  const symbol = type.getSymbol();
  const [declaration] = symbol?.declarations ?? [];
  if (symbol !== undefined && declaration !== undefined && isNamed(declaration)) {
    const builtin = builtinModel(reading, declaration, symbol.name, place);
    if (builtin !== undefined) return builtin;
    if (reading.view.isLibrary(declaration) || ts.isClassDeclaration(declaration)) {
      const array = listOf(reading, type, place);
      if (array !== undefined) return array;
      const what = `the class ${symbol.name} cannot be represented in JSON`;
      return broken(reading, place, { what, fix: insteadOf(symbol.name) });
    }
  }
  const other = listOf(reading, type, place) ?? rejectCallable(reading, type, place) ?? indexed(reading, type, place);
  if (other !== undefined) return other;
  if (reading.stack.includes(type)) {
    const what = `the type ${reading.checker.typeToString(type)} contains itself`;
    const why = 'a structural schema cannot contain references, so the schema would be infinite';
    const fix = 'refer to nested items by name in a flat list, or use unknown with the tag @preserveUnknownFields';
    report(reading, place, 'KW6103', { what, why, fix });
    return { type: 'broken', ...baseOf(reading, place) };
  }
  const isEmpty = type.isIntersection() && type.getProperties().length === 0;
  if (isEmpty && type.types.some((each) => each.getProperties().length > 0)) {
    const what = `the types in ${place.node.getText()} conflict`;
    const why = 'a field has incompatible types, so no value is valid';
    return broken(reading, place, {
      what,
      why,
      fix: 'give the field the same type in both, or omit it from one: Omit<…, …>',
    });
  }
  reading.stack.push(type);
  try {
    const fields = type.getProperties().map((property) => field(reading, property, place));
    return { type: 'object', fields, ...baseOf(reading, place), docs: typeDocs(reading, type) };
  } finally {
    reading.stack.pop();
  }
}

function typeDocs(reading: Reading, type: ts.Type): readonly Docs[] {
  const declarations = (type.getSymbol()?.declarations ?? []).filter(ts.isInterfaceDeclaration);
  return declarations.map((each) => docsOf(each, 'type', reading));
}

function listOf(reading: Reading, type: ts.Type, place: Place): TypeModel | undefined {
  if (reading.checker.isTupleType(type)) {
    return broken(reading, place, {
      what: 'a tuple has no structural schema',
      why: 'all elements of a list must have the same type',
      fix: 'use an object with named fields, or an array of one type with @minItems and @maxItems',
    });
  }
  if (!reading.checker.isArrayType(type)) return undefined;
  const [element] = reading.checker.getTypeArguments(type as ts.TypeReference); // arrays are references
  if (element === undefined) return undefined;
  return {
    type: 'array',
    items: reading.type(element, { ...place, path: `${place.path}[]` }),
    ...baseOf(reading, place),
  };
}

function rejectCallable(reading: Reading, type: ts.Type, place: Place): TypeModel | undefined {
  if (type.getCallSignatures().length + type.getConstructSignatures().length === 0) return undefined;
  return broken(reading, place, {
    what: 'functions cannot be represented in JSON',
    fix: 'remove the function: spec and status can contain only JSON data',
  });
}

function indexed(reading: Reading, type: ts.Type, place: Place): TypeModel | undefined {
  const [index, ...more] = reading.checker.getIndexInfosOfType(type);
  if (index === undefined) return undefined;
  if (!(index.keyType.flags & TypeFlags.String))
    return notByText(reading, place, reading.checker.typeToString(index.keyType));
  if (more.length > 0 || type.getProperties().length > 0) {
    return broken(reading, place, {
      what: 'the object has both named fields and an index signature',
      why: 'a structural schema has either named fields or one type for all values',
      fix: 'move the other values to a separate map: Readonly<Record<string, …>>',
    });
  }
  const values = reading.type(index.type, { ...place, path: `${place.path}{}` });
  return { type: 'map', values: described(reading, values, index.declaration), ...baseOf(reading, place) };
}

function isNamed(declaration: ts.Declaration): boolean {
  return ts.isInterfaceDeclaration(declaration) || ts.isClassDeclaration(declaration);
}
