import { Quantity } from '@kubewright/apimachinery';

/** Most quantities that come are canonical; to see that is cheaper than to parse them. */
const ALREADY_CANONICAL = /^(0|[1-9]\d{0,2}([mkMGTPE]|[KMGTPE]i)?)$/;

/** Writes a quantity in its canonical form, such as `1500m` or `2Gi`; what cannot be parsed stays as it is. */
export function canonicalQuantity(value: unknown): unknown {
  if (typeof value === 'string' && ALREADY_CANONICAL.test(value)) return value;
  return Quantity.tryParse(value)?.canonical() ?? value;
}

/** A quantity in billionths, rounded up; 0 for what is none. */
export function billionthsOf(value: unknown): bigint {
  return Quantity.tryParse(value)?.scaledValue(-9) ?? 0n;
}
