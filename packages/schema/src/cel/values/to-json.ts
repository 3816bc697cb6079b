import { CelEvaluationError } from '../errors.ts';
import { encodeBase64 } from './base64.ts';
import { toText } from './convert.ts';
import { CelDouble } from './double.ts';
import { CelDuration } from './duration.ts';
import { elements, isList } from './list.ts';
import { CelMap } from './map.ts';
import { CelObject } from './object.ts';
import { CelTimestamp } from './timestamp.ts';
import { CelUint } from './uint.ts';
import type { CelValue } from './value.ts';

/**
 * Converts a value to JSON. The type name of a nested structure must match its field path, as in
 * `Object.spec{template: Object.spec.template{}}` (`CheckTypeNamesMatchFieldPathNames`, 1.36).
 *
 * @throws CelEvaluationError if a type name does not match, or if a value has no JSON form
 */
export function toJson(value: CelValue): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (isList(value)) return elements(value).map(toJson);
  if (value instanceof CelObject && value.type.name.split('.')[0] === 'Object') {
    const faults = nameFaults(value, value.type.name);
    if (faults.length > 0) throw new CelEvaluationError(`type mismatch: ${faults.join('\n')}`);
    return membersOf(value, named);
  }
  return value instanceof CelMap ? membersOf(value, toJson) : scalar(value);
}

/** Converts part of a structure whose type names have already been checked. */
function named(value: CelValue): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (isList(value)) return elements(value).map(named);
  return value instanceof CelMap ? membersOf(value, named) : scalar(value);
}

function membersOf(map: CelMap, convert: (value: CelValue) => unknown): Record<string, unknown> {
  const entries = map.keys().map((key): [string, unknown] => {
    if (typeof key !== 'string') throw new CelEvaluationError(`map key ${toText(key)} is not a string`);
    return [key, convert(map.get(key) ?? null)];
  });
  return Object.fromEntries(entries);
}

function scalar(value: CelValue): unknown {
  if (value instanceof CelDouble) return value.value;
  if (value instanceof CelUint) return value.value <= Number.MAX_SAFE_INTEGER ? Number(value.value) : value.value;
  if (value instanceof Uint8Array) return encodeBase64(value);
  if (value instanceof CelTimestamp || value instanceof CelDuration) return toText(value);
  throw new CelEvaluationError('the value cannot be expressed in JSON');
}

function nameFaults(value: CelValue, path: string): readonly string[] {
  if (value === null || typeof value !== 'object') return [];
  if (isList(value)) return elements(value).flatMap((element) => nameFaults(element, path));
  if (!(value instanceof CelMap)) return [];
  if (!(value instanceof CelObject)) return value.keys().flatMap((key) => nameFaults(value.get(key) ?? null, path));
  const { name } = value.type;
  const expected = `expected "${path}", which matches field name path from root Object type`;
  const own = name === path ? [] : [`unexpected type name "${name}", ${expected}`];
  return [...own, ...[...value.fields].flatMap(([field, one]) => nameFaults(one, `${path}.${field}`))];
}
