/** A resource quantity, exact: an integer number of billionths, and the notation in which it was written. */
export interface ParsedQuantity {
  readonly nano: bigint;
  readonly format: 'DecimalSI' | 'BinarySI' | 'DecimalExponent';
}

const SYNTAX = /^([+-]?)(\d+\.?\d*|\.\d+)([numkMGTPE]?|[KMGTPE]i|[eE][+-]?\d{1,3})$/;
const DECIMAL_SUFFIXES = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const BINARY_SUFFIXES = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const ALREADY_CANONICAL = /^(0|[1-9]\d{0,2}([mkMGTPE]|[KMGTPE]i)?)$/;

/** Parses a quantity as `resource.ParseQuantity` does; `undefined` when the text is none. Rounds up to billionths. */
export function parseQuantity(value: unknown): ParsedQuantity | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const match = SYNTAX.exec(String(value).trim());
  if (!match) return undefined;
  const [, sign, digits = '', suffix = ''] = match;
  const [whole = '', fraction = ''] = digits.split('.', 2);
  const mantissa = BigInt(`${whole}${fraction}` || '0');
  const scaled = scale({ mantissa, exponent: -fraction.length, suffix });
  return { nano: sign === '-' ? -scaled : scaled, format: formatOf(suffix) };
}

function formatOf(suffix: string): ParsedQuantity['format'] {
  if (suffix.endsWith('i')) return 'BinarySI';
  return suffix.length > 1 ? 'DecimalExponent' : 'DecimalSI';
}

function scale(number: { readonly mantissa: bigint; readonly exponent: number; readonly suffix: string }): bigint {
  const { mantissa, suffix } = number;
  let ten = number.exponent + 9;
  let factor = 1n;
  if (suffix.endsWith('i')) factor = 1024n ** BigInt(BINARY_SUFFIXES.indexOf(suffix));
  else if (suffix.length > 1) ten += Number(suffix.slice(1));
  else ten += 3 * (DECIMAL_SUFFIXES.indexOf(suffix) - 3);
  const value = mantissa * factor;
  if (ten >= 0) return value * 10n ** BigInt(ten);
  const divisor = 10n ** BigInt(-ten);
  return (value + divisor - 1n) / divisor;
}

/** Writes a quantity in its canonical form; what cannot be parsed stays as it is. */
export function canonicalQuantity(value: unknown): unknown {
  if (typeof value === 'string' && ALREADY_CANONICAL.test(value)) return value;
  const parsed = parseQuantity(value);
  return parsed ? formatQuantity(parsed) : value;
}

/** Writes a quantity in its canonical form, such as `1500m` or `2Gi`. */
export function formatQuantity({ nano, format }: ParsedQuantity): string {
  if (nano === 0n) return '0';
  const sign = nano < 0n ? '-' : '';
  const size = nano < 0n ? -nano : nano;
  const unit = 1_000_000_000n;
  if (format === 'BinarySI' && size >= 1024n * unit && size % unit === 0n) {
    const { value, power } = reduce({ value: size / unit, base: 1024n, limit: 6 });
    return `${sign}${value}${BINARY_SUFFIXES[power]}`;
  }
  const { value, power } = reduce({ value: size, base: 1000n, limit: 9 });
  if (format !== 'DecimalExponent') return `${sign}${value}${DECIMAL_SUFFIXES[power]}`;
  return power === 3 ? `${sign}${value}` : `${sign}${value}e${3 * (power - 3)}`;
}

function reduce(start: { readonly value: bigint; readonly base: bigint; readonly limit: number }): {
  readonly value: bigint;
  readonly power: number;
} {
  let { value } = start;
  let power = 0;
  while (power < start.limit && value % start.base === 0n) {
    value /= start.base;
    power++;
  }
  return { value, power };
}
