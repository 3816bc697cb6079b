import { fail } from '../errors.ts';
import { decodeUtf8 } from './bytes.ts';
import { CelDouble } from './double.ts';
import { CelDuration } from './duration.ts';
import { formatDouble, formatFixed } from './format-number.ts';
import { intFromBigInt, isInt } from './int.ts';
import { CelTimestamp } from './timestamp.ts';
import { CelUint, isUint64 } from './uint.ts';
import type { CelValue } from './value.ts';

function cannot(from: string, to: string): never {
  return fail(`type conversion error from '${from}' to '${to}'`);
}

/** `int(x)` */
export function toInt(value: CelValue): number | bigint {
  if (isInt(value)) return value;
  if (value instanceof CelUint) return intFromBigInt(value.value) ?? fail('integer overflow');
  if (value instanceof CelDouble) return doubleToInt(value.value);
  if (typeof value === 'string') {
    const parsed = /^[+-]?\d+$/.test(value) ? intFromBigInt(BigInt(value.replace(/^\+/, ''))) : undefined;
    return parsed ?? cannot('string', 'int');
  }
  if (value instanceof CelTimestamp) return value.seconds;
  if (value instanceof CelDuration) return intFromBigInt(value.nanos)!;
  return fail('no such overload');
}

function doubleToInt(value: number): number | bigint {
  // Excludes both bounds, as cel-go does, because a double that equals a bound may represent a number outside the
  // range.
  if (!(value > -(2 ** 63) && value < 2 ** 63)) return fail('integer overflow');
  return intFromBigInt(BigInt(Math.trunc(value)))!;
}

/** `uint(x)` */
export function toUint(value: CelValue): CelUint {
  if (value instanceof CelUint) return value;
  if (isInt(value)) return value >= 0 ? new CelUint(BigInt(value)) : fail('unsigned integer overflow');
  if (value instanceof CelDouble) {
    const inRange = value.value >= 0 && value.value < 2 ** 64;
    return inRange ? new CelUint(BigInt(Math.trunc(value.value))) : fail('unsigned integer overflow');
  }
  if (typeof value === 'string') {
    const parsed = /^\d+$/.test(value) ? BigInt(value) : -1n;
    return isUint64(parsed) ? new CelUint(parsed) : cannot('string', 'uint');
  }
  return fail('no such overload');
}

const doubleWords: ReadonlyMap<string, number> = new Map([
  ['nan', Number.NaN],
  ['inf', Number.POSITIVE_INFINITY],
  ['infinity', Number.POSITIVE_INFINITY],
]);

/** `double(x)` */
export function toDouble(value: CelValue): CelDouble {
  if (value instanceof CelDouble) return value;
  if (isInt(value)) return new CelDouble(Number(value));
  if (value instanceof CelUint) return new CelDouble(Number(value.value));
  if (typeof value === 'string') return new CelDouble(parseDouble(value) ?? cannot('string', 'double'));
  return fail('no such overload');
}

function parseDouble(text: string): number | undefined {
  if (/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text)) {
    const value = Number(text);
    return Number.isFinite(value) ? value : undefined;
  }
  const word = doubleWords.get(text.replace(/^[+-]/, '').toLowerCase());
  if (word === undefined || (Number.isNaN(word) && /^[+-]/.test(text))) return undefined;
  return text.startsWith('-') ? -word : word;
}

/** `string(x)` */
export function toText(value: CelValue): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean' || isInt(value)) return String(value);
  if (value instanceof CelUint) return String(value.value);
  if (value instanceof CelDouble) return formatDouble(value.value);
  if (value instanceof Uint8Array) return decodeUtf8(value) ?? fail('invalid UTF-8 in bytes, cannot convert to string');
  if (value instanceof CelTimestamp) return value.toString();
  if (value instanceof CelDuration) return `${formatFixed(Number(value.nanos) / 1e9)}s`;
  return fail('no such overload');
}

/** `bool(x)` */
export function toBool(value: CelValue): boolean {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string') return fail('no such overload');
  if (['1', 't', 'T', 'TRUE', 'true', 'True'].includes(value)) return true;
  return ['0', 'f', 'F', 'FALSE', 'false', 'False'].includes(value) ? false : cannot('string', 'bool');
}

/** `timestamp(x)` */
export function toTimestamp(value: CelValue): CelTimestamp {
  if (value instanceof CelTimestamp) return value;
  if (typeof value === 'string') return CelTimestamp.parse(value) ?? cannot('string', 'google.protobuf.Timestamp');
  if (isInt(value)) return CelTimestamp.of(Number(value), 0) ?? fail('timestamp overflow');
  return fail('no such overload');
}

/** `duration(x)` */
export function toDuration(value: CelValue): CelDuration {
  if (value instanceof CelDuration) return value;
  if (typeof value === 'string') return CelDuration.parse(value) ?? cannot('string', 'google.protobuf.Duration');
  if (isInt(value)) return new CelDuration(BigInt(value));
  return fail('no such overload');
}
