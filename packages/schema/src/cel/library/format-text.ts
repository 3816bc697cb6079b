import { fail } from '../errors.ts';
import { encodeUtf8 } from '../values/bytes.ts';
import { toText } from '../values/convert.ts';
import { CelDouble } from '../values/double.ts';
import { CelDuration } from '../values/duration.ts';
import { isInt } from '../values/int.ts';
import { elements, isList } from '../values/list.ts';
import { CelMap } from '../values/map.ts';
import { compareText } from '../values/text.ts';
import { CelTimestamp } from '../values/timestamp.ts';
import { typeOfValue } from '../values/type-of.ts';
import { CelTypeValue } from '../values/type-value.ts';
import { CelUint } from '../values/uint.ts';
import type { CelValue } from '../values/value.ts';
import type { CallContext } from './library.ts';

const DEFAULT_PRECISION = 6;
const MAX_PRECISION = 100;

/** `text.format(args)`: `%s %d %f %e %b %x %X %o %%`, with a precision for `%f` and `%e`. */
export function formatText(context: CallContext, text: string, args: readonly CelValue[]): string {
  let out = '';
  let used = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] !== '%') {
      out += text[i];
      continue;
    }
    if (text[i + 1] === '%') {
      out += '%';
      i++;
      continue;
    }
    if (i + 1 >= text.length) return fail('unexpected end of string');
    if (used >= args.length) return fail(`index ${used} out of range`);
    const clause = /%(?:\.(\d+))?(.?)/sy;
    clause.lastIndex = i;
    const [whole, precision, verb] = clause.exec(text)!;
    const piece = formatClause(verb!, args[used]!, precision === undefined ? undefined : Number(precision));
    context.charge(1 + piece.length * 0.1);
    out += piece;
    used++;
    i += whole.length - 1;
  }
  return out;
}

function formatClause(verb: string, value: CelValue, precision: number | undefined): string {
  if (precision !== undefined && precision > MAX_PRECISION) return fail(`precision ${precision} is too large`);
  switch (verb) {
    case 's':
      return formatString(value);
    case 'd':
      return formatDecimal(value);
    case 'f':
      return formatFloat(value, 'fixed-point', (number) => number.toFixed(precision ?? DEFAULT_PRECISION));
    case 'e':
      return formatFloat(value, 'scientific', (number) => scientific(number, precision ?? DEFAULT_PRECISION));
    case 'b':
      return typeof value === 'boolean' ? String(Number(value)) : inBase(value, 2, 'binary');
    case 'o':
      return inBase(value, 8, 'octal');
    case 'x':
      return formatHex(value);
    case 'X':
      return formatHex(value).toUpperCase();
    default:
      return fail(`could not parse formatting clause: unrecognized formatting clause "${verb}"`);
  }
}

function only(verb: string, kinds: string, value: CelValue): never {
  return fail(
    `error during formatting: ${verb} clause can only be used on ${kinds}, was given ${typeOfValue(value).name}`,
  );
}

function formatDecimal(value: CelValue): string {
  if (isInt(value)) return String(value);
  if (value instanceof CelUint) return String(value.value);
  if (value instanceof CelDouble && !Number.isFinite(value.value)) return nonFinite(value.value);
  return only('decimal', 'integers', value);
}

function nonFinite(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  return value > 0 ? 'Infinity' : '-Infinity';
}

function formatFloat(value: CelValue, verb: string, format: (value: number) => string): string {
  if (typeof value === 'string' && ['NaN', 'Infinity', '-Infinity'].includes(value)) return value;
  if (isInt(value)) return format(Number(value));
  if (value instanceof CelUint) return format(Number(value.value));
  if (!(value instanceof CelDouble)) return only(verb, 'doubles', value);
  return Number.isFinite(value.value) ? format(value.value) : nonFinite(value.value);
}

function scientific(value: number, precision: number): string {
  return value.toExponential(precision).replace(/e([+-])(\d)$/, 'e$10$2');
}

function inBase(value: CelValue, base: number, verb: string): string {
  if (isInt(value)) return value.toString(base);
  if (value instanceof CelUint) return value.value.toString(base);
  return only(verb, verb === 'binary' ? 'integers and bools' : 'integers', value);
}

function formatHex(value: CelValue): string {
  if (typeof value === 'string' || value instanceof Uint8Array) {
    const bytes = typeof value === 'string' ? encodeUtf8(value) : value;
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  }
  if (isInt(value)) return value.toString(16);
  if (value instanceof CelUint) return value.value.toString(16);
  return only('hex', 'integers, byte buffers, and strings', value);
}

function formatString(value: CelValue): string {
  if (value === null) return 'null';
  if (value instanceof CelTypeValue) return value.name;
  if (isList(value)) return `[${elements(value).map(formatString).join(', ')}]`;
  if (value instanceof CelMap) return formatMap(value);
  if (value instanceof CelDouble) return formatDoubleText(value.value);
  if (isScalar(value)) return toText(value);
  return only('string', 'strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps', value);
}

function formatDoubleText(value: number): string {
  return Number.isFinite(value) ? toText(new CelDouble(value)) : nonFinite(value);
}

function isScalar(value: CelValue): boolean {
  return (
    typeof value !== 'object' ||
    value instanceof CelUint ||
    value instanceof Uint8Array ||
    value instanceof CelTimestamp ||
    value instanceof CelDuration
  );
}

function formatMap(map: CelMap): string {
  const pairs = map.keys().map((key) => [formatString(key), formatString(map.get(key) ?? null)] as const);
  pairs.sort(([a], [b]) => compareText(a, b));
  return `{${pairs.map(([key, value]) => `${key}: ${value}`).join(', ')}}`;
}
