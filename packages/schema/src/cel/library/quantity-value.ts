import { KubewrightError, Quantity } from '@kubewright/apimachinery';
import { type CelType, opaqueOf } from '../types/cel-type.ts';
import { maxInt, minInt } from '../values/int.ts';
import { CelOpaque } from '../values/opaque.ts';

export const quantityType: CelType = opaqueOf('kubernetes.Quantity');

/**
 * A resource quantity. Upstream stores small amounts as an int64 with a decimal exponent, and other amounts as big
 * decimals. Only an int64 with a non-negative exponent counts as an integer: `1k` counts, `1000m` does not. {@link
 * exponent} is undefined for big decimals.
 */
export class QuantityValue extends CelOpaque {
  readonly type: CelType = quantityType;
  readonly amount: Quantity;
  readonly exponent: number | undefined;

  constructor(amount: Quantity, exponent: number | undefined) {
    super();
    this.amount = amount;
    this.exponent = exponent;
  }

  equals(other: unknown): boolean {
    return other instanceof QuantityValue && this.amount.equals(other.amount);
  }

  plus(other: QuantityValue): QuantityValue {
    const both = this.exponent !== undefined && other.exponent !== undefined;
    const exponent = both ? Math.min(this.exponent, other.exponent) : undefined;
    return new QuantityValue(this.amount.add(other.amount), exponent);
  }

  negated(): QuantityValue {
    return new QuantityValue(this.amount.negate(), this.exponent);
  }

  /** The amount as an integer; undefined if upstream does not treat the amount as an integer. */
  get integer(): bigint | undefined {
    if (this.exponent === undefined || this.exponent < 0) return undefined;
    const value = this.amount.value();
    return value <= maxInt && value >= minInt ? value : undefined;
  }
}

/** Parses a quantity; returns an error message if the text is invalid. */
export function parseQuantity(text: string): QuantityValue | string {
  try {
    return new QuantityValue(Quantity.parse(text), int64Exponent(text));
  } catch (error) {
    if (error instanceof KubewrightError) return error.message;
    throw error;
  }
}

const binaryBits: Readonly<Record<string, number>> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 };
const decimal: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };

/**
 * Returns the decimal exponent of the int64 in which upstream stores the amount; undefined if upstream uses a big decimal.
 */
function int64Exponent(text: string): number | undefined {
  const match = /^[+-]?0*(\d*)(?:\.(\d*))?(\D*)([-+]?\d*)$/.exec(text);
  if (match === null) return undefined;
  const [, whole = '', fraction = '', unit = '', power = ''] = match;
  const digits = Math.max(whole.length, 1) + fraction.length;
  const bits = binaryBits[unit];
  if (bits !== undefined) {
    const precision = 15 - digits - Math.trunc((bits * 3) / 10) - 1;
    return fraction === '' && precision >= 0 ? 0 : undefined;
  }
  const exponent = (power === '' ? (decimal[unit] ?? 0) : Number(power)) - fraction.length;
  return digits <= 18 && exponent >= -9 ? exponent : undefined;
}
