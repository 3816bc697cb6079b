import { readObject } from './read-object-type.ts';
import { baseOf, broken, type Place, primitiveOf, type Reading, report } from './reading.ts';
import { insteadOf, unionFinding, unresolved } from './type-advice.ts';
import type { TypeModel } from './type-model.ts';
import { ts } from './typescript.ts';
import { literalsOf, writtenLiterals } from './written-literals.ts';

const { TypeFlags } = ts;

/** Reads a type as the compiler sees it. */
export function readType(reading: Reading, type: ts.Type, place: Place): TypeModel {
  const base = baseOf(reading, place);
  const { flags } = type;
  if (flags & TypeFlags.Any) return any(reading, type, place);
  if (flags & (TypeFlags.Null | TypeFlags.Undefined | TypeFlags.VoidLike | TypeFlags.Never)) {
    const what = `the type ${place.node.getText()} has no JSON schema`;
    return broken(reading, place, { what, fix: 'remove the field, or use the type of its values' });
  }
  if (flags & TypeFlags.Unknown || flags & TypeFlags.NonPrimitive) return { type: 'unknown', ...base };
  if (flags & TypeFlags.String) return { type: 'string', ...base };
  if (flags & TypeFlags.Number) return { type: 'number', ...base };
  if (flags & TypeFlags.Boolean) return { type: 'boolean', ...base };
  if (type.isLiteral() || flags & TypeFlags.BooleanLiteral) return literals(reading, [type], place);
  if (type.isUnion()) return union(reading, type, place);
  const branded = primitiveOf(type);
  if (branded !== type) return reading.type(branded, place);
  if (flags & (TypeFlags.Object | TypeFlags.Intersection)) return readObject(reading, type, place);
  if (flags & TypeFlags.Enum) {
    const what = `the values of the enum ${reading.checker.typeToString(type)} cannot be determined from the code`;
    return broken(reading, place, {
      what,
      why: 'a schema must list all values of an enum',
      fix: "use literals: 'a' | 'b'",
    });
  }
  return broken(reading, place, {
    what: `the type ${reading.checker.typeToString(type)} has no JSON schema`,
    fix: insteadOf(reading.checker.typeToString(type)),
  });
}

function any(reading: Reading, type: ts.Type, place: Place): TypeModel {
  if ('intrinsicName' in type && type.intrinsicName === 'error') {
    const { code, ...finding } = unresolved(place.node.getText());
    report(reading, place, code, finding);
    return { type: 'broken', ...baseOf(reading, place) };
  }
  return broken(reading, place, {
    what: 'the type any has no JSON schema',
    fix: 'use a specific type, or, for any JSON value, unknown with the tag @preserveUnknownFields',
  });
}

function union(reading: Reading, type: ts.UnionType, place: Place): TypeModel {
  const nothing = TypeFlags.Undefined | TypeFlags.Null;
  const parts = type.types.filter(({ flags }) => !(flags & nothing));
  const nullable = type.types.some(({ flags }) => flags & TypeFlags.Null) ? { nullable: true } : {};
  const all = (flags: ts.TypeFlags): boolean => parts.every((part) => part.flags & flags);
  if (parts.length === 0) return reading.type(type.types[0] as ts.Type, place);
  if (all(TypeFlags.BooleanLiteral) && parts.length === 2) {
    return { type: 'boolean', ...baseOf(reading, place), ...nullable };
  }
  if (all(TypeFlags.StringLiteral) || all(TypeFlags.NumberLiteral) || all(TypeFlags.BooleanLiteral)) {
    return { ...literals(reading, parts, place), ...nullable };
  }
  if (parts.length === 1) return { ...reading.type(parts[0] as ts.Type, place), ...nullable };
  if (all(TypeFlags.Number | TypeFlags.BigInt)) return { type: 'int64', ...baseOf(reading, place), ...nullable };
  // 'a' | (string & {}) accepts any string and lets editors suggest values.
  const primitives = parts.map(primitiveOf);
  const [primitive] = primitives.filter(({ flags }) => flags & (TypeFlags.String | TypeFlags.Number));
  const family = primitive && (primitive.flags & TypeFlags.String ? TypeFlags.StringLike : TypeFlags.NumberLike);
  if (primitive !== undefined && primitives.every(({ flags }) => flags & (family ?? 0))) {
    return { ...reading.type(primitive, place), ...nullable };
  }
  const [list] = parts.filter((part) => reading.checker.isArrayType(part));
  const element = list && reading.checker.getTypeArguments(list as ts.TypeReference)[0]; // arrays are references
  return broken(
    reading,
    place,
    unionFinding(reading.checker.typeToString(type), {
      areLiterals: parts.every((part) => part.isLiteral() || part.flags & TypeFlags.BooleanLiteral),
      areTextAndNumber: parts.length === 2 && all(TypeFlags.String | TypeFlags.Number),
      isListOrElement: parts.length === 2 && parts.some((part) => part === element),
    }),
  );
}

/**
 * Keeps the order in which the literals are written, if possible. The compiler would sort them by their first use in the
 * program.
 */
function literals(reading: Reading, parts: readonly ts.Type[], place: Place): TypeModel {
  const values = literalsOf(parts, reading.checker);
  const written = writtenLiterals(place.node, reading.checker);
  const order = (value: string | number | boolean): number => written.indexOf(value);
  if (values.every((value) => order(value) !== -1)) values.sort((a, b) => order(a) - order(b));
  else values.sort((a, b) => (a < b ? -1 : 1));
  return { type: 'literals', values, ...baseOf(reading, place) };
}
