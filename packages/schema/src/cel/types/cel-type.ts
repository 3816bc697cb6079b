/** A CEL type. Immutable; compare with {@link sameType}. */
export interface CelType {
  readonly kind: TypeKind;
  /** Name in messages: `int`, `list`, `net.IP`, or the name of the structure or type parameter. */
  readonly name: string;
  readonly params: readonly CelType[];
  /** Fields of a structure. Resolved lazily, because structures may be recursive. */
  readonly fields?: StructFields;
}

export type TypeKind =
  | 'any'
  | 'bool'
  | 'bytes'
  | 'double'
  | 'duration'
  | 'dyn'
  | 'error'
  | 'int'
  | 'list'
  | 'map'
  | 'null'
  | 'opaque'
  | 'param'
  | 'string'
  | 'struct'
  | 'timestamp'
  | 'type'
  | 'uint';

/** The fields of a structure type. */
export interface StructFields {
  /** Returns the type of a field, given the field's (escaped) name in expressions; undefined for an unknown field. */
  typeOf(field: string): CelType | undefined;
}

function simple(kind: TypeKind, name: string = kind): CelType {
  return { kind, name, params: [] };
}

export const anyType: CelType = simple('any', 'any');
export const boolType: CelType = simple('bool');
export const bytesType: CelType = simple('bytes');
export const doubleType: CelType = simple('double');
export const durationType: CelType = simple('duration', 'google.protobuf.Duration');
export const dynType: CelType = simple('dyn');
export const errorType: CelType = simple('error', '!error!');
export const intType: CelType = simple('int');
export const nullType: CelType = simple('null', 'null_type');
export const stringType: CelType = simple('string');
export const timestampType: CelType = simple('timestamp', 'google.protobuf.Timestamp');
export const typeType: CelType = simple('type');
export const uintType: CelType = simple('uint');

export function listOf(element: CelType): CelType {
  return { kind: 'list', name: 'list', params: [element] };
}

export function mapOf(key: CelType, value: CelType): CelType {
  return { kind: 'map', name: 'map', params: [key, value] };
}

export function opaqueOf(name: string, ...params: CelType[]): CelType {
  return { kind: 'opaque', name, params };
}

export function optionalOf(value: CelType): CelType {
  return { kind: 'opaque', name: 'optional_type', params: [value] };
}

export function paramOf(name: string): CelType {
  return { kind: 'param', name, params: [] };
}

export function structOf(name: string, fields: StructFields): CelType {
  return { kind: 'struct', name, params: [], fields };
}

/** Returns the type of a type: `type(int)` for the identifier `int`. */
export function typeOf(type: CelType): CelType {
  return { kind: 'type', name: 'type', params: [type] };
}

export function isDyn(type: CelType): boolean {
  return type.kind === 'dyn' || type.kind === 'any';
}

export function isDynOrError(type: CelType): boolean {
  return isDyn(type) || type.kind === 'error';
}

export function isOptional(type: CelType): boolean {
  return type.kind === 'opaque' && type.name === 'optional_type';
}

/** Returns the type of an optional's value; returns any other type unchanged. */
export function unwrapOptional(type: CelType): CelType {
  return isOptional(type) ? type.params[0]! : type;
}

/** True if the types are identical, including their parameters. */
export function sameType(a: CelType, b: CelType): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind || a.name !== b.name || a.params.length !== b.params.length) return false;
  return a.params.every((param, i) => sameType(param, b.params[i]!));
}

/** Formats a type for error messages: `list(string)`, `map(string, dyn)`, `timestamp`. */
export function formatType(type: CelType): string {
  switch (type.kind) {
    case 'duration':
    case 'timestamp':
    case 'any':
    case 'null':
      return type.kind;
    case 'error':
      return '!error!';
    default:
      return type.params.length === 0 ? type.name : `${type.name}(${type.params.map(formatType).join(', ')})`;
  }
}

/**
 * Formats a type as Go's `types.Type.String`: like {@link formatType}, but with the full names of well-known types, such as
 * `google.protobuf.Duration`.
 */
export function typeName({ name, params }: CelType): string {
  return params.length === 0 ? name : `${name}(${params.map(typeName).join(', ')})`;
}

/** Formats the signature of a call for error messages: `string.(int, dyn)`. */
export function formatCall(args: readonly CelType[], isMember: boolean): string {
  const names = args.map(formatType);
  return isMember ? `${names[0]}.(${names.slice(1).join(', ')})` : `(${names.join(', ')})`;
}
