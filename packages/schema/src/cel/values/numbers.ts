import { CelDouble } from './double.ts';
import { CelUint } from './uint.ts';
import type { CelValue } from './value.ts';

export type Numeric = number | bigint | CelDouble | CelUint;

export function isNumeric(value: CelValue): value is Numeric {
  return typeof value === 'number' || typeof value === 'bigint' || value instanceof CelDouble || value instanceof CelUint;
}

/** Orders numbers of any types by their mathematical value; NaN if one of them is not a number. */
export function compareNumbers(a: Numeric, b: Numeric): number {
  // JavaScript compares numbers and bigints exactly, whichever way they are mixed.
  const x = plain(a);
  const y = plain(b);
  if (x < y) return -1;
  if (x > y) return 1;
  // biome-ignore lint/suspicious/noDoubleEquals: 1 == 1n is meant
  return x == y ? 0 : Number.NaN;
}

function plain(value: Numeric): number | bigint {
  return typeof value === 'object' ? value.value : value;
}
