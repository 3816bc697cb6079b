import { constructSuffix, parseSuffix, type QuantityFormat } from './suffix.ts';

/** A text that is no quantity. The message is the API's own. */
export class QuantityError extends Error {
  readonly code = 'KW1030';

  constructor(message: string) {
    super(message);
    this.name = 'QuantityError';
  }
}

/** Smallest amount that is kept: everything smaller is rounded up to it, away from zero. */
const nano = -9;
/** What a 64-bit integer holds; upstream takes its slow path for more. */
const maxInt64 = 2n ** 63n - 1n;

interface Parts {
  /** value = unscaled × 10^scale */
  readonly unscaled: bigint;
  readonly scale: number;
  readonly format: QuantityFormat;
  /** The text it was read from, where upstream shows that and not the canonical form. */
  readonly text?: string;
}

/**
 * An exact amount: `100m`, `1.5Gi`, `2e3`. Immutable, of any size and precision down to one nano unit.
 *
 * Mirrors `resource.Quantity` (1.36), including what it keeps: a text whose number needs no shifting is shown as it
 * was written (`1.500`), everything else in canonical form (`1.5` → `1500m`). Two deviations, where upstream loses
 * the value: amounts from 1000E on are shown with an exponent, and exponents beyond ±10,000 are refused.
 */
export class Quantity {
  /** Nothing, in decimal form. */
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
   * Reads a quantity.
   *
   * @throws {@link QuantityError} with the API's message.
   */
  static parse(text: string): Quantity {
    if (text === '0') return Quantity.zero;
    return new Quantity(parseParts(text));
  }

  /** Reads a quantity, or a JSON number; undefined for anything that is none. */
  static tryParse(value: unknown): Quantity | undefined {
    if (typeof value !== 'string' && typeof value !== 'number') return undefined;
    try {
      return Quantity.parse(String(value));
    } catch (error) {
      if (error instanceof QuantityError) return undefined;
      throw error;
    }
  }

  /** A whole number of units. */
  static of(value: bigint | number): Quantity {
    return new Quantity({ unscaled: BigInt(value), scale: 0, format: 'decimal' });
  }

  /** True for no amount, however it is written. */
  get isZero(): boolean {
    return this.#unscaled === 0n;
  }

  /** -1, 0 or 1. */
  get sign(): number {
    return this.#unscaled < 0n ? -1 : this.#unscaled > 0n ? 1 : 0;
  }

  /** Negative, zero or positive as this amount is less, equal or more. Exact. */
  compare(other: Quantity): number {
    const scale = Math.min(this.#scale, other.#scale);
    const left = this.#at(scale);
    const right = other.#at(scale);
    return left < right ? -1 : left > right ? 1 : 0;
  }

  /** True for equal amounts, however they are written. */
  equals(other: Quantity): boolean {
    return this.compare(other) === 0;
  }

  /** The sum; in this quantity's form, or the other's if this one is zero. */
  add(other: Quantity): Quantity {
    const scale = Math.min(this.#scale, other.#scale);
    const format = this.isZero ? other.#format : this.#format;
    return new Quantity({ unscaled: this.#at(scale) + other.#at(scale), scale, format });
  }

  /** The difference; in this quantity's form, or the other's if this one is zero. */
  sub(other: Quantity): Quantity {
    return this.add(other.negate());
  }

  /** The same amount with the other sign. */
  negate(): Quantity {
    return new Quantity({ unscaled: -this.#unscaled, scale: this.#scale, format: this.#format });
  }

  /** Whole units, rounded away from zero: `100m` → 1. */
  value(): bigint {
    return this.scaledValue(0);
  }

  /** Thousandths, rounded away from zero: `0.1` → 100. */
  milliValue(): bigint {
    return this.scaledValue(-3);
  }

  /** Multiples of 10^scale, rounded away from zero. */
  scaledValue(scale: number): bigint {
    return roundAway(this.#unscaled, { scale: this.#scale, target: scale });
  }

  /** The nearest double. */
  toNumber(): number {
    return Number(`${this.#unscaled}e${this.#scale}`);
  }

  /** As the API shows it. */
  toString(): string {
    return this.#text ?? this.canonical();
  }

  /** As it is written on the wire. */
  toJSON(): string {
    return this.toString();
  }

  /** The canonical form: no fraction, the largest possible suffix, no precision lost. */
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

  /** Small amounts and fractions have no binary form. */
  #binary(): string | undefined {
    const whole = this.value();
    if (whole > -1024n && whole < 1024n) return undefined;
    if (this.#scale < 0 && this.#unscaled % 10n ** BigInt(-this.#scale) !== 0n) return undefined;
    const stripped = stripFactors(whole, { factor: 1024n, scale: 0, most: 6 });
    return `${stripped.unscaled}${constructSuffix(stripped.scale * 10, 'binary')}`;
  }

  #at(scale: number): bigint {
    return this.#unscaled * 10n ** BigInt(this.#scale - scale);
  }
}

/** The canonical text of a quantity, or undefined for a text that is none. */
export function canonicalQuantity(text: string): string | undefined {
  return Quantity.tryParse(text)?.toString();
}

const shape = /^([+-]?)0*(\d*)(\.(\d*))?([eEinumkKMGTP]*[-+]?\d*)$/;
/** Longer numbers than any that mean something; keeps the arithmetic below cheap. */
const maxLength = 4096;

function parseParts(text: string): Parts {
  const match = text === '' || text.length > maxLength ? null : shape.exec(text);
  if (match === null) {
    throw new QuantityError(
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    );
  }
  const [, sign = '', digits = '', , fraction = '', suffixText = ''] = match;
  const suffix = parseSuffix(suffixText);
  if (suffix === undefined) throw new QuantityError("unable to parse quantity's suffix");
  // A sign, a dot or a suffix alone is zero, upstream, too.
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

/** Amounts that fit 64 bits at a glance. Which ones do decides whether the text is kept, so it is upstream's rule. */
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
  readonly most?: number;
}

function stripFactors(value: bigint, { factor, scale, most = Number.POSITIVE_INFINITY }: StripOptions) {
  let unscaled = value;
  let exponent = scale;
  for (let times = 0; times < most && unscaled % factor === 0n; times++) {
    unscaled /= factor;
    exponent++;
  }
  return { unscaled, scale: exponent };
}
