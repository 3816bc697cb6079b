import { fail } from '../errors.ts';
import { encodeUtf8 } from '../values/bytes.ts';
import { CelDouble } from '../values/double.ts';
import { isInt } from '../values/int.ts';
import { typeOfValue } from '../values/type-of.ts';
import { CelUint } from '../values/uint.ts';
import type { CelValue } from '../values/value.ts';
import { nextClause, verbOf } from './format-verbs.ts';
import type { CallContext } from './library.ts';

/**
 * The style in which `format` prints values. Kubernetes uses version 2 of cel-go's strings extension, which groups
 * digits and prints nested values as literals; version 4 changed this.
 */
export interface FormatStyle {
  /** Formats a value for `%s`; returns undefined for unsupported values. */
  string(value: CelValue): string | undefined;
  fixed(value: number, precision: number): string;
  scientific(value: number, precision: number): string;
  /** True if `%f` and `%e` also accept integers, and `%d` also accepts NaN and infinities. */
  readonly lenient: boolean;
}

const defaultPrecision = 6;

/** Implements `text.format(args)`: `%s %d %f %e %b %x %X %o %%`, with an optional precision for `%f` and `%e`. */
export function formatText(
  context: CallContext,
  text: string,
  how: { readonly args: readonly CelValue[]; readonly style: FormatStyle },
): string {
  let out = '';
  let used = 0;
  let at = 0;
  for (let percent = text.indexOf('%'); percent >= 0; percent = text.indexOf('%', at)) {
    out += text.slice(at, percent);
    const clause = nextClause(text, percent);
    if (clause.kind === 'fault') return fail(clause.message);
    at = clause.end;
    if (clause.kind === 'percent') {
      out += '%';
      continue;
    }
    if (used >= how.args.length) return fail(`index ${used} out of range`);
    const piece = formatClause(clause, how.args[used]!, how.style);
    context.charge(1 + piece.length * 0.1);
    out += piece;
    used++;
  }
  return out + text.slice(at);
}

function formatClause(
  clause: { readonly verb: string; readonly precision: number | undefined },
  value: CelValue,
  style: FormatStyle,
): string {
  const verb = verbOf(clause.verb);
  if (typeof verb === 'string') return fail(`could not parse formatting clause: ${verb}`);
  const text = attempt(clause, value, style);
  return text ?? fail(`error during formatting: ${verb.fault}, was given ${typeOfValue(value).name}`);
}

function attempt(
  { verb, precision = defaultPrecision }: { readonly verb: string; readonly precision: number | undefined },
  value: CelValue,
  style: FormatStyle,
): string | undefined {
  switch (verb) {
    case 's':
      return style.string(value);
    case 'd':
      if (style.lenient && value instanceof CelDouble && !Number.isFinite(value.value))
        return style.fixed(value.value, 0);
      return integer(value)?.toString();
    case 'f':
    case 'e': {
      const number = double(value, style.lenient);
      if (number === undefined) return undefined;
      return verb === 'f' ? style.fixed(number, precision) : style.scientific(number, precision);
    }
    case 'b':
      return typeof value === 'boolean' ? String(Number(value)) : integer(value)?.toString(2);
    case 'o':
      return integer(value)?.toString(8);
    case 'x':
      return hex(value);
    default:
      return hex(value)?.toUpperCase();
  }
}

function integer(value: CelValue): number | bigint | undefined {
  if (isInt(value)) return value;
  return value instanceof CelUint ? value.value : undefined;
}

const words: ReadonlyMap<CelValue, number> = new Map([
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
]);

function double(value: CelValue, lenient: boolean): number | undefined {
  if (value instanceof CelDouble) return value.value;
  const whole = lenient ? integer(value) : undefined;
  return whole === undefined ? words.get(value) : Number(whole);
}

function hex(value: CelValue): string | undefined {
  if (typeof value === 'string' || value instanceof Uint8Array) {
    const bytes = typeof value === 'string' ? encodeUtf8(value) : value;
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  }
  return integer(value)?.toString(16);
}

/** Formats a number with a fixed number of decimals; ties round to even, as in Go. */
export function toFixedEven(value: number, precision: number): string {
  const rounded = value.toFixed(precision);
  const exact = value.toFixed(Math.min(100, precision + 30));
  const rest = exact.slice(exact.indexOf('.') + 1 + precision);
  const tie = precision <= 70 && /^50*$/.test(rest);
  if (!tie) return rounded;
  const down = exact.slice(0, exact.indexOf('.') + (precision === 0 ? 0 : 1 + precision));
  return Number(down.at(-1)) % 2 === 0 ? down : rounded;
}

/** Formats a number like `toExponential`, but with an exponent of at least two digits, as in Go. */
export function toScientific(value: number, precision: number): string {
  return value.toExponential(precision).replace(/e([+-])(\d)$/, 'e$10$2');
}
