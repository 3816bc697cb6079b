import { canonicalQuantity } from './quantity.ts';

/**
 * Converts a scalar to the form that Go's encoder writes: quantities in canonical form, times in UTC with a precision of seconds or
 * microseconds. The codes are those of `generated/wire-shapes.ts`. `null` and absent values become Go's zero value. A value of a
 * wrong type is returned unchanged, because decoding has already rejected what upstream rejects.
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

/** Formats a time in UTC with the given number of fractional digits. An invalid time is returned unchanged. */
function canonicalTime(value: unknown, digits: number): unknown {
  if (typeof value !== 'string') return value;
  const ms = Date.parse(value);
  if (Number.isNaN(ms)) return value;
  const seconds = new Date(ms).toISOString().slice(0, 19);
  if (digits === 0) return `${seconds}Z`;
  // Date keeps only milliseconds. The fraction is the same in every time zone, so take it from the text.
  const fraction = /\.(\d+)/.exec(value)?.[1] ?? '';
  return `${seconds}.${fraction.slice(0, digits).padEnd(digits, '0')}Z`;
}
