import { canonicalQuantity } from './quantity.ts';

/**
 * Brings a scalar into the form in which Go's encoder writes it: quantities in canonical form, times in UTC with second
 * (or microsecond) precision. The codes are those of `generated/wire-shapes.ts`. `null` and absence become the zero
 * value; a value of a wrong type is left alone, for decoding has already refused what is refused.
 */
export function canonicalScalar(code: string, value: unknown): unknown {
  const absent = value === undefined || value === null;
  switch (code) {
    case 's':
      return absent ? '' : value;
    case 'n':
    case 'i':
      return absent ? 0 : value;
    case 'b':
      return absent ? false : value;
    case 'q':
      return absent ? '0' : canonicalQuantity(value);
    case 't':
      return absent || value === '' ? null : canonicalTime(value, 0);
    case 'u':
      return absent || value === '' ? null : canonicalTime(value, 6);
    default:
      return absent ? null : value;
  }
}

/** Writes a time in UTC with so many digits of a second's fraction; what is no time stays as it is. */
function canonicalTime(value: unknown, digits: number): unknown {
  if (typeof value !== 'string') return value;
  const ms = Date.parse(value);
  if (Number.isNaN(ms)) return value;
  const seconds = new Date(ms).toISOString().slice(0, 19);
  if (digits === 0) return `${seconds}Z`;
  // Date keeps milliseconds only; the fraction is the same in every time zone, so it is taken from the text.
  const fraction = /\.(\d+)/.exec(value)?.[1] ?? '';
  return `${seconds}.${fraction.slice(0, digits).padEnd(digits, '0')}Z`;
}
