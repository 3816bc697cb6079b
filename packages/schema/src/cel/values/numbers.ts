import { CelDouble } from './double.ts';
import { CelUint } from './uint.ts';
import type { CelValue } from './value.ts';

export type Numeric = number | bigint | CelDouble | CelUint;

export function isNumeric(value: CelValue): value is Numeric {
  return (
    typeof value === 'number' || typeof value === 'bigint' || value instanceof CelDouble || value instanceof CelUint
  );
}

/**
 * Compares numbers of any types. Returns NaN if either number is NaN. Converts an integer to a double before comparing
 * it with a double, as cel-go does, unless the double is outside the range of the integer's type.
 */
export function compareNumbers(a: Numeric, b: Numeric): number {
  if (a instanceof CelDouble) return b instanceof CelDouble ? order(a.value, b.value) : -compareWithDouble(b, a.value);
  if (b instanceof CelDouble) return compareWithDouble(a, b.value);
  // JavaScript compares numbers and bigints exactly, even when mixed.
  return order(integer(a), integer(b));
}

function integer(value: number | bigint | CelUint): number | bigint {
  return value instanceof CelUint ? value.value : value;
}

function compareWithDouble(a: number | bigint | CelUint, b: number): number {
  const [low, high] = a instanceof CelUint ? [0, 2 ** 64] : [-(2 ** 63), 2 ** 63];
  if (b < low) return 1;
  if (b > high) return -1;
  return order(Number(integer(a)), b);
}

function order(a: number | bigint, b: number | bigint): number {
  if (a < b) return -1;
  if (a > b) return 1;
  // `>=` is false for NaN. `===` would not work, because 1 and 1n are not identical.
  return a >= b ? 0 : Number.NaN;
}
