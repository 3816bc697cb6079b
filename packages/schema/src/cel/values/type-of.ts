import type { CelType } from '../types/cel-type.ts';
import * as t from '../types/cel-type.ts';
import { CelDouble } from './double.ts';
import { CelDuration } from './duration.ts';
import { isList } from './list.ts';
import { CelMap } from './map.ts';
import { CelObject } from './object.ts';
import { CelOpaque } from './opaque.ts';
import { CelOptional } from './optional.ts';
import { CelTimestamp } from './timestamp.ts';
import { CelTypeValue } from './type-value.ts';
import { CelUint } from './uint.ts';
import type { CelValue } from './value.ts';

const list: CelType = t.listOf(t.dynType);
const map: CelType = t.mapOf(t.dynType, t.dynType);
const optional: CelType = t.optionalOf(t.dynType);

/** Returns the type of a value. Element types of lists and maps are `dyn`, because the values do not record them. */
export function typeOfValue(value: CelValue): CelType {
  switch (typeof value) {
    case 'number':
    case 'bigint':
      return t.intType;
    case 'string':
      return t.stringType;
    case 'boolean':
      return t.boolType;
    default:
      return value === null ? t.nullType : typeOfObject(value);
  }
}

function typeOfObject(value: Exclude<CelValue, null | boolean | number | bigint | string>): CelType {
  if (isList(value)) return list;
  if (value instanceof CelObject) return value.type;
  if (value instanceof CelMap) return map;
  if (value instanceof CelDouble) return t.doubleType;
  if (value instanceof CelUint) return t.uintType;
  if (value instanceof Uint8Array) return t.bytesType;
  if (value instanceof CelTimestamp) return t.timestampType;
  if (value instanceof CelDuration) return t.durationType;
  if (value instanceof CelTypeValue) return t.typeType;
  if (value instanceof CelOptional) return optional;
  return (value as CelOpaque).type;
}

/** True if a value is of the given type. The contents of lists and maps are not checked. */
export function matchesType(value: CelValue, type: CelType): boolean {
  switch (type.kind) {
    case 'dyn':
    case 'any':
    case 'param':
      return true;
    case 'opaque':
      if (value instanceof CelOptional) return t.isOptional(type);
      return value instanceof CelOpaque && value.type.name === type.name;
    case 'struct':
      return value instanceof CelMap;
    default:
      return typeOfValue(value).kind === type.kind;
  }
}
