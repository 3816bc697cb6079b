import { fail, noSuchOverload } from '../errors.ts';
import { compareBytes } from './bytes.ts';
import { CelDouble } from './double.ts';
import { CelDuration } from './duration.ts';
import type { Meter } from './equality.ts';
import { intFromBigInt, isInt, minInt } from './int.ts';
import { CelList, elements, isList } from './list.ts';
import { compareNumbers, isNumeric } from './numbers.ts';
import { compareText } from './text.ts';
import { CelTimestamp } from './timestamp.ts';
import { CelUint, isUint64 } from './uint.ts';
import type { CelValue } from './value.ts';

const overflowInt = 'integer overflow';
const overflowUint = 'unsigned integer overflow';

function int(value: bigint): number | bigint {
  return intFromBigInt(value) ?? fail(overflowInt);
}

function uint(value: bigint): CelUint {
  return isUint64(value) ? new CelUint(value) : fail(overflowUint);
}

function duration(nanos: bigint): CelDuration {
  return CelDuration.of(nanos) ?? fail(overflowInt);
}

function timestamp(value: CelTimestamp | undefined): CelTimestamp {
  return value ?? fail('timestamp overflow');
}

/** `a + b` */
export function add(a: CelValue, b: CelValue, meter: Meter): CelValue {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b;
    return Number.isSafeInteger(sum) ? sum : int(BigInt(a) + BigInt(b));
  }
  if (typeof a === 'string' && typeof b === 'string') {
    meter.charge((a.length + b.length) * 0.1);
    return a + b;
  }
  if (isInt(a) && isInt(b)) return int(BigInt(a) + BigInt(b));
  if (a instanceof CelDouble && b instanceof CelDouble) return new CelDouble(a.value + b.value);
  if (a instanceof CelUint && b instanceof CelUint) return uint(a.value + b.value);
  if (isList(a) && isList(b)) return concatenate(a, b, meter);
  if (a instanceof Uint8Array && b instanceof Uint8Array) {
    meter.charge((a.length + b.length) * 0.1);
    const out = new Uint8Array(a.length + b.length);
    out.set(a);
    out.set(b, a.length);
    return out;
  }
  if (a instanceof CelDuration && b instanceof CelDuration) return duration(a.nanos + b.nanos);
  if (a instanceof CelTimestamp && b instanceof CelDuration) return timestamp(a.plus(b));
  if (a instanceof CelDuration && b instanceof CelTimestamp) return timestamp(b.plus(a));
  return noSuchOverload();
}

function concatenate(
  a: readonly CelValue[] | CelList,
  b: readonly CelValue[] | CelList,
  meter: Meter,
): readonly CelValue[] | CelList {
  meter.charge((a.length + b.length) * 0.1);
  const other = elements(b);
  const union = a instanceof CelList ? a.union(other) : undefined;
  return union ?? [...elements(a), ...other];
}

/** `a - b` */
export function subtract(a: CelValue, b: CelValue): CelValue {
  if (typeof a === 'number' && typeof b === 'number') {
    const difference = a - b;
    return Number.isSafeInteger(difference) ? difference : int(BigInt(a) - BigInt(b));
  }
  if (isInt(a) && isInt(b)) return int(BigInt(a) - BigInt(b));
  if (a instanceof CelDouble && b instanceof CelDouble) return new CelDouble(a.value - b.value);
  if (a instanceof CelUint && b instanceof CelUint) return uint(a.value - b.value);
  if (a instanceof CelDuration && b instanceof CelDuration) return duration(a.nanos - b.nanos);
  if (a instanceof CelTimestamp && b instanceof CelDuration) return timestamp(a.plus(b, -1n));
  if (a instanceof CelTimestamp && b instanceof CelTimestamp) return a.minus(b) ?? fail(overflowInt);
  return noSuchOverload();
}

/** `a * b` */
export function multiply(a: CelValue, b: CelValue): CelValue {
  if (typeof a === 'number' && typeof b === 'number') {
    const product = a * b;
    // Adding 0 turns -0 into 0, because ints have no negative zero.
    return Number.isSafeInteger(product) ? product + 0 : int(BigInt(a) * BigInt(b));
  }
  if (isInt(a) && isInt(b)) return int(BigInt(a) * BigInt(b));
  if (a instanceof CelDouble && b instanceof CelDouble) return new CelDouble(a.value * b.value);
  if (a instanceof CelUint && b instanceof CelUint) return uint(a.value * b.value);
  return noSuchOverload();
}

/** Computes `a / b`. Integer division rounds towards zero. */
export function divide(a: CelValue, b: CelValue): CelValue {
  if (typeof a === 'number' && typeof b === 'number') {
    // Subtract the remainder first, so that the division is exact.
    return b === 0 ? fail('division by zero') : (a - (a % b)) / b + 0;
  }
  if (isInt(a) && isInt(b)) return b === 0 ? fail('division by zero') : int(BigInt(a) / BigInt(b));
  if (a instanceof CelDouble && b instanceof CelDouble) return new CelDouble(a.value / b.value);
  if (a instanceof CelUint && b instanceof CelUint) {
    return b.value === 0n ? fail('division by zero') : new CelUint(a.value / b.value);
  }
  return noSuchOverload();
}

/** Computes `a % b`. The result has the sign of `a`. */
export function modulo(a: CelValue, b: CelValue): CelValue {
  if (typeof a === 'number' && typeof b === 'number') return b === 0 ? fail('modulus by zero') : (a % b) + 0;
  if (isInt(a) && isInt(b)) return b === 0 ? fail('modulus by zero') : int(BigInt(a) % BigInt(b));
  if (a instanceof CelUint && b instanceof CelUint) {
    return b.value === 0n ? fail('modulus by zero') : new CelUint(a.value % b.value);
  }
  return noSuchOverload();
}

/** `-a` */
export function negate(a: CelValue): CelValue {
  if (typeof a === 'number') return 0 - a;
  if (typeof a === 'bigint') return a === minInt ? fail(overflowInt) : int(-a);
  if (a instanceof CelDouble) return new CelDouble(-a.value);
  if (a instanceof CelDuration) return duration(-a.nanos);
  return noSuchOverload();
}

/** Compares two values of ordered types. Returns NaN if either value is NaN. */
export function compare(a: CelValue, b: CelValue, meter: Meter): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') {
    meter.charge(Math.min(a.length, b.length) * 0.1);
    return compareText(a, b);
  }
  if (isNumeric(a) && isNumeric(b)) return compareNumbers(a, b);
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  if (a instanceof CelTimestamp && b instanceof CelTimestamp) return a.seconds - b.seconds || a.nanos - b.nanos;
  if (a instanceof CelDuration && b instanceof CelDuration) return a.nanos < b.nanos ? -1 : Number(a.nanos > b.nanos);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return compareBytes(a, b);
  return noSuchOverload();
}
