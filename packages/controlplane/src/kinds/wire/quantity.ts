import { Quantity } from '@kubewright/apimachinery';

/** Matches most quantities that occur in practice, because matching is cheaper than parsing. */
const alreadyCanonical = /^(0|[1-9]\d{0,2}([mkMGTPE]|[KMGTPE]i)?)$/;

/** Returns a quantity in canonical form, such as `1500m` or `2Gi`. An invalid quantity is returned unchanged. */
export function canonicalQuantity(value: unknown): unknown {
  if (typeof value === 'string' && alreadyCanonical.test(value)) return value;
  return Quantity.tryParse(value)?.canonical() ?? value;
}

/** Returns a quantity in billionths, rounded up. Returns 0 for an invalid quantity. */
export function billionthsOf(value: unknown): bigint {
  return Quantity.tryParse(value)?.scaledValue(-9) ?? 0n;
}
