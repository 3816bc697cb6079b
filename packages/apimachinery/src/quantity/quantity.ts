import { KubewrightError } from '../errors/kubewright-error.ts';
import { constructSuffix, parseSuffix, type QuantityFormat } from './suffix.ts';

/**
 * Thrown for text that is not a quantity. The message matches the API server's.
 *
 * @example
 * ```ts
 * try {
 *   Quantity.parse('10 GB');
 * } catch (error) {
 *   if (error instanceof KubewrightError && error.code === 'KW1030') console.error(`spec.storage: ${error.message}`);
 *   else throw error;
 * }
 * ```
 */
export class QuantityError extends KubewrightError {
  override readonly name = 'QuantityError';
  readonly code = 'KW1030';
}

/** Exponent of the smallest unit. Smaller fractions are rounded away from zero to a multiple of it. */
const nano = -9;
/** The largest 64-bit integer. Upstream takes its slow path for larger amounts. */
const maxInt64 = 2n ** 63n - 1n;

interface Parts {
  /** value = unscaled × 10^scale */
  readonly unscaled: bigint;
  readonly scale: number;
  readonly format: QuantityFormat;
  /** The original text, if upstream shows it instead of the canonical form. */
  readonly text?: string;
}

/**
 * An exact amount: `100m`, `1.5Gi`, `2e3`. Immutable and of any size, with a precision of 10⁻⁹.
 *
 * Mirrors `resource.Quantity` (1.36), which shows some amounts as written (`1.500`) and all others in canonical form
 * (`1.5` → `1500m`). Deviates in two cases where upstream loses the value: amounts from 1000E on are shown with an
 * exponent, and exponents beyond ±10,000 are rejected.
 *
 * @example
 * ```ts
 * const total = Quantity.parse('500Mi').add(Quantity.parse('1Gi')).toString();
 * ```
 */
export class Quantity {
  /** Zero, in decimal format. */
  static readonly zero: Quantity = new Quantity({ unscaled: 0n, scale: 0, format: 'decimal', text: '0' });

  readonly #unscaled: bigint;
  readonly #scale: number;
  readonly #format: QuantityFormat;
  readonly #text: string | undefined;

  private constructor(parts: Parts) {
    this.#unscaled = parts.unscaled;
    this.#scale = parts.scale;
    this.#format = parts.format;
    this.#text = parts.text;
  }

  /**
   * Parses a quantity.
   *
   * @throws {@link QuantityError} with the API's message.
   */
  static parse(text: string): Quantity {
    if (text === '0') return Quantity.zero;
    return new Quantity(parseParts(text));
  }

  /** Parses a quantity or a JSON number; returns undefined for anything else. */
  static tryParse(value: unknown): Quantity | undefined {
    if (typeof value !== 'string' && typeof value !== 'number') return undefined;
    try {
      return Quantity.parse(String(value));
    } catch (error) {
      if (error instanceof QuantityError) return undefined;
      throw error;
    }
  }

  /** Returns a quantity of whole units. */
  static of(value: bigint | number): Quantity {
    return new Quantity({ unscaled: BigInt(value), scale: 0, format: 'decimal' });
  }

  /** True if the amount is zero, however it is written. */
  get isZero(): boolean {
    return this.#unscaled === 0n;
  }

  /** -1, 0 or 1. */
  get sign(): number {
    return this.#unscaled < 0n ? -1 : this.#unscaled > 0n ? 1 : 0;
  }

  /**
   * Returns a negative number, zero or a positive number if this amount is less than, equal to or greater than the
   * other. The comparison is exact.
   */
  compare(other: Quantity): number {
    const scale = Math.min(this.#scale, other.#scale);
    const left = this.#at(scale);
    const right = other.#at(scale);
    return left < right ? -1 : left > right ? 1 : 0;
  }

  /** True if the amounts are equal, however they are written. */
  equals(other: Quantity): boolean {
    return this.compare(other) === 0;
  }

  /** Returns the sum, in this quantity's format, or in the other's format if this quantity is zero. */
  add(other: Quantity): Quantity {
    const scale = Math.min(this.#scale, other.#scale);
    const format = this.isZero ? other.#format : this.#format;
    return new Quantity({ unscaled: this.#at(scale) + other.#at(scale), scale, format });
  }

  /** Returns the difference, in this quantity's format, or in the other's format if this quantity is zero. */
  sub(other: Quantity): Quantity {
    return this.add(other.negate());
  }

  /** Returns the amount with the opposite sign. */
  negate(): Quantity {
    return new Quantity({ unscaled: -this.#unscaled, scale: this.#scale, format: this.#format });
  }

  /** Returns whole units, rounded away from zero: `100m` → 1. */
  value(): bigint {
    return this.scaledValue(0);
  }

  /** Returns thousandths, rounded away from zero: `0.1` → 100. */
  milliValue(): bigint {
    return this.scaledValue(-3);
  }

  /** Returns multiples of 10^scale, rounded away from zero. */
  scaledValue(scale: number): bigint {
    return roundAway(this.#unscaled, { scale: this.#scale, target: scale });
  }

  /** Returns the nearest double. */
  toNumber(): number {
    return Number(`${this.#unscaled}e${this.#scale}`);
  }

  /** Formats the quantity as the API shows it. */
  toString(): string {
    return this.#text ?? this.canonical();
  }

  /** Formats the quantity as on the wire. */
  toJSON(): string {
    return this.toString();
  }

  /** Returns the canonical form: no fraction, the largest possible suffix, no loss of precision. */
  canonical(): string {
    if (this.isZero) return '0';
    if (this.#format === 'binary') {
      const binary = this.#binary();
      if (binary !== undefined) return binary;
    }
    let { unscaled, scale } = stripFactors(this.#unscaled, { factor: 10n, scale: this.#scale });
    const excess = ((scale % 3) + 3) % 3;
    unscaled *= 10n ** BigInt(excess);
    scale -= excess;
    return `${unscaled}${constructSuffix(scale, this.#format === 'exponent' ? 'exponent' : 'decimal')}`;
  }

  /** Returns the quantity with a binary suffix, or undefined for amounts below 1024 and for fractions. */
  #binary(): string | undefined {
    const whole = this.value();
    if (whole > -1024n && whole < 1024n) return undefined;
    if (this.#scale < 0 && this.#unscaled % 10n ** BigInt(-this.#scale) !== 0n) return undefined;
    const stripped = stripFactors(whole, { factor: 1024n, scale: 0, max: 6 });
    return `${stripped.unscaled}${constructSuffix(stripped.scale * 10, 'binary')}`;
  }

  #at(scale: number): bigint {
    return this.#unscaled * 10n ** BigInt(this.#scale - scale);
  }
}

const shape = /^([+-]?)0*(\d*)(\.(\d*))?([eEinumkKMGTP]*[-+]?\d*)$/;
/** Maximum length of the text: longer than any meaningful number, short enough to keep the arithmetic cheap. */
const maxLength = 4096;

function parseParts(text: string): Parts {
  const match = text === '' || text.length > maxLength ? null : shape.exec(text);
  if (match === null) {
    throw new QuantityError({
      what: "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    });
  }
  const [, sign = '', digits = '', , fraction = '', suffixText = ''] = match;
  const suffix = parseSuffix(suffixText);
  if (suffix === undefined) throw new QuantityError({ what: "unable to parse quantity's suffix" });
  // A sign, a dot or a suffix alone is zero, as in upstream.
  const whole = digits === '' ? '0' : digits;
  const negative = sign === '-';
  const number = { text, whole, fraction, negative };
  return fastParts(number, suffix) ?? slowParts(number, suffix);
}

interface NumberText {
  readonly text: string;
  readonly whole: string;
  readonly fraction: string;
  readonly negative: boolean;
}

type Suffix = NonNullable<ReturnType<typeof parseSuffix>>;

/**
 * Handles amounts that obviously fit in 64 bits. Follows upstream's rules exactly, because they also decide whether the
 * original text is kept.
 */
function fastParts(number: NumberText, suffix: Suffix): Parts | undefined {
  const { text, whole, fraction, negative } = number;
  const binary = suffix.format === 'binary';
  const digits = whole.length + fraction.length;
  const precision = !binary
    ? 18 - digits
    : fraction === ''
      ? 15 - whole.length - Math.trunc((suffix.exponent * 3) / 10) - 1
      : -1;
  const scale = (binary ? 0 : suffix.exponent) - fraction.length;
  if (precision < 0 || scale < nano) return undefined;
  const shifted = whole + fraction;
  const value = BigInt(shifted);
  const amount = binary ? value << BigInt(suffix.exponent) : value;
  if (amount > maxInt64) return undefined;
  const keep = binary
    ? suffix.exponent % 10 === 0 && (value & 7n) !== 0n
    : scale % 3 === 0 && !shifted.endsWith('000') && !shifted.startsWith('0');
  const parts = { unscaled: negative ? -amount : amount, scale, format: suffix.format };
  return keep ? { ...parts, text } : parts;
}

function slowParts(number: NumberText, suffix: Suffix): Parts {
  const binary = suffix.format === 'binary';
  let unscaled = BigInt(number.whole + number.fraction);
  let scale = -number.fraction.length;
  if (binary) unscaled <<= BigInt(suffix.exponent);
  else scale += suffix.exponent;
  if (unscaled !== 0n && scale < nano) {
    unscaled = roundAway(unscaled, { scale, target: nano });
    scale = nano;
  }
  let format = suffix.format;
  if (binary) {
    const one = 10n ** BigInt(Math.max(-scale, 0));
    if (unscaled > maxInt64 * one) {
      unscaled = maxInt64;
      scale = 0;
    } else if (unscaled < one && unscaled > 0n) format = 'decimal';
  }
  return { unscaled: number.negative ? -unscaled : unscaled, scale, format };
}

function roundAway(unscaled: bigint, options: { readonly scale: number; readonly target: number }): bigint {
  const shift = options.target - options.scale;
  if (shift <= 0) return unscaled * 10n ** BigInt(-shift);
  const divisor = 10n ** BigInt(shift);
  const quotient = unscaled / divisor;
  if (quotient * divisor === unscaled) return quotient;
  return unscaled < 0n ? quotient - 1n : quotient + 1n;
}

interface StripOptions {
  readonly factor: bigint;
  readonly scale: number;
  readonly max?: number;
}

function stripFactors(value: bigint, { factor, scale, max = Number.POSITIVE_INFINITY }: StripOptions) {
  let unscaled = value;
  let exponent = scale;
  for (let times = 0; times < max && unscaled % factor === 0n; times++) {
    unscaled /= factor;
    exponent++;
  }
  return { unscaled, scale: exponent };
}
