import { compareBytes } from './bytes.ts';
import { CelDouble } from './double.ts';
import { CelDuration } from './duration.ts';
import { CelList, elements, isList } from './list.ts';
import { CelMap } from './map.ts';
import { compareNumbers, isNumeric } from './numbers.ts';
import { CelObject } from './object.ts';
import { CelOpaque } from './opaque.ts';
import { CelOptional } from './optional.ts';
import { CelTimestamp } from './timestamp.ts';
import { CelTypeValue } from './type-value.ts';
import { CelUint } from './uint.ts';
import type { CelValue } from './value.ts';

/** Receives the cost of comparisons. */
export interface Meter {
  charge(steps: number): void;
}

/** Computes `a == b`. Values of different types are unequal, but numbers of different types are compared by value. */
export function equals(a: CelValue, b: CelValue, meter: Meter): boolean {
  if (typeof a !== 'object' || a === null) {
    if (a === b) return true;
    if (typeof a === 'string') {
      if (typeof b === 'string') meter.charge(Math.min(a.length, b.length) * 0.1);
      return false;
    }
    return isNumeric(a) && isNumeric(b) && compareNumbers(a, b) === 0;
  }
  if (typeof b !== 'object' || b === null) return isNumeric(a) && isNumeric(b) && compareNumbers(a, b) === 0;
  return equalObjects(a, b, meter);
}

function equalObjects(a: CelValue & object, b: CelValue & object, meter: Meter): boolean {
  if (isList(a)) return isList(b) && equalLists(a, b, meter);
  if (a instanceof CelObject || b instanceof CelObject) {
    const sameName = a instanceof CelObject && b instanceof CelObject && a.type.name === b.type.name;
    return sameName && equalMaps(a, b, meter);
  }
  if (a instanceof CelMap) return b instanceof CelMap && equalMaps(a, b, meter);
  if (a instanceof CelDouble || a instanceof CelUint) return isNumeric(b) && compareNumbers(a, b) === 0;
  if (a instanceof CelTimestamp) {
    return b instanceof CelTimestamp && a.seconds === b.seconds && a.nanos === b.nanos;
  }
  if (a instanceof CelDuration) return b instanceof CelDuration && a.nanos === b.nanos;
  if (a instanceof Uint8Array) {
    meter.charge(a.length * 0.1);
    return b instanceof Uint8Array && compareBytes(a, b) === 0;
  }
  if (a instanceof CelTypeValue) return b instanceof CelTypeValue && a.name === b.name;
  if (a instanceof CelOptional) return b instanceof CelOptional && equalOptionals(a, b, meter);
  return a instanceof CelOpaque && b instanceof CelOpaque && a.type.name === b.type.name && a.equals(b, meter);
}

function equalOptionals(a: CelOptional, b: CelOptional, meter: Meter): boolean {
  if (a.value === undefined || b.value === undefined) return a.value === b.value;
  return equals(a.value, b.value, meter);
}

function equalLists(a: readonly CelValue[] | CelList, b: readonly CelValue[] | CelList, meter: Meter): boolean {
  if (a.length !== b.length) return false;
  meter.charge(a.length);
  const y = elements(b);
  if (a instanceof CelList) {
    const unordered = a.equalsUnordered(y, (one, other) => equals(one, other, meter));
    if (unordered !== undefined) return unordered;
  }
  const x = elements(a);
  for (let i = 0; i < x.length; i++) {
    if (!equals(x[i]!, y[i]!, meter)) return false;
  }
  return true;
}

function equalMaps(a: CelMap, b: CelMap, meter: Meter): boolean {
  const { size } = a;
  meter.charge(size);
  if (size !== b.size) return false;
  for (const key of a.keys()) {
    const x = a.get(key);
    const y = b.get(key);
    if (x === undefined || y === undefined ? x !== y : !equals(x, y, meter)) return false;
  }
  return a.undeclaredEqual(b, meter);
}
