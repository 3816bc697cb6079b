import { canonicalQuantity } from './quantity.ts';

/**
 * Converts a scalar to the form that Go's encoder writes: quantities in canonical form, times in UTC with second (or microsecond)
 * precision. The codes are those of `generated/wire-shapes.ts`. `null` and absence become the zero value. A value of a wrong type
 * is left unchanged, because decoding has already rejected what must be rejected.
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

/** Formats a time in UTC with the given number of fractional digits; an invalid time is left unchanged. */
function canonicalTime(value: unknown, digits: number): unknown {
  if (typeof value !== 'string') return value;
  const ms = Date.parse(value);
  if (Number.isNaN(ms)) return value;
  const seconds = new Date(ms).toISOString().slice(0, 19);
  if (digits === 0) return `${seconds}Z`;
  // Date keeps only milliseconds; the fraction is equal in every time zone, so take it from the text.
  const fraction = /\.(\d+)/.exec(value)?.[1] ?? '';
  return `${seconds}.${fraction.slice(0, digits).padEnd(digits, '0')}Z`;
}
