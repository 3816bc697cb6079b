export const maxInt: bigint = 2n ** 63n - 1n;
export const minInt: bigint = -(2n ** 63n);

/**
 * Returns an int: a `number` if it is a safe integer, otherwise a `bigint`; undefined if the value does not fit in 64
 * bits.
 */
export function intFromBigInt(value: bigint): number | bigint | undefined {
  if (value >= -9007199254740991n && value <= 9007199254740991n) return Number(value);
  return value > maxInt || value < minInt ? undefined : value;
}

/** True for ints, small or large. */
export function isInt(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}
