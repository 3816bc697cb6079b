import { fail } from '../errors.ts';
import { decodeUtf8 } from '../values/bytes.ts';
import { toText } from '../values/convert.ts';
import { CelDouble } from '../values/double.ts';
import { CelDuration } from '../values/duration.ts';
import { elements, isList } from '../values/list.ts';
import { CelMap } from '../values/map.ts';
import { compareText } from '../values/text.ts';
import { CelTimestamp } from '../values/timestamp.ts';
import { CelTypeValue } from '../values/type-value.ts';
import { CelUint } from '../values/uint.ts';
import type { CelValue } from '../values/value.ts';
import { type FormatStyle, toFixedEven, toScientific } from './format-text.ts';
import { goQuote } from './go-quote.ts';

/** The language's current style. */
export const currentStyle: FormatStyle = {
  lenient: true,
  string: currentText,
  fixed: (value, precision) => (Number.isFinite(value) ? toFixedEven(value, precision) : nonFinite(value)),
  scientific: (value, precision) => (Number.isFinite(value) ? toScientific(value, precision) : nonFinite(value)),
};

/** The style of version 2 of the strings extension: English digit grouping, nested values as literals. */
export const kubernetesStyle: FormatStyle = {
  lenient: false,
  string: kubernetesText,
  fixed: (value, precision) => (Number.isFinite(value) ? grouped(toFixedEven(value, precision)) : symbol(value)),
  // As in upstream, the precision is used as a width.
  scientific: (value, width) =>
    (Number.isFinite(value) ? superscript(toScientific(value, 6)) : symbol(value)).padStart(width),
};

function nonFinite(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  return value > 0 ? 'Infinity' : '-Infinity';
}

function symbol(value: number): string {
  return nonFinite(value).replace('Infinity', '∞');
}

function grouped(text: string): string {
  const [whole, fraction] = text.split('.') as [string, string?];
  const groups = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? groups : `${groups}.${fraction}`;
}

const superscripts = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** `1.5e+03` → `1.5×10⁰³` */
function superscript(text: string): string {
  const [mantissa, exponent] = text.split('e') as [string, string];
  const digits = exponent.slice(1).replace(/\d/g, (digit) => superscripts[Number(digit)]!);
  return `${mantissa}\u00d710${exponent.startsWith('-') ? '\u207b' : ''}${digits}`;
}

function currentText(value: CelValue): string | undefined {
  if (value === null) return 'null';
  if (value instanceof CelTypeValue) return value.name;
  if (isList(value)) return joined(elements(value).map(currentText), ['[', ']']);
  if (value instanceof CelMap) return mapText(value, { text: currentText, separator: ': ' });
  if (value instanceof CelDouble && !Number.isFinite(value.value)) return nonFinite(value.value);
  return isScalar(value) ? toText(value) : undefined;
}

function kubernetesText(value: CelValue): string | undefined {
  if (value === null) return 'null';
  if (value instanceof CelTypeValue) return value.name;
  if (isList(value)) return joined(elements(value).map(literalText), ['[', ']']);
  if (value instanceof CelMap) return mapText(value, { text: literalText, separator: ':' });
  if (value instanceof Uint8Array) return bytesText(value);
  return isScalar(value) ? toText(value) : undefined;
}

/** Formats a value inside a list or map. */
function literalText(value: CelValue): string | undefined {
  if (typeof value === 'string') return goQuote(value);
  if (value instanceof Uint8Array) return `b${goQuote(bytesText(value))}`;
  if (value instanceof CelDouble)
    return Number.isFinite(value.value) ? toFixedEven(value.value, 6) : `"${goInfinity(value.value)}"`;
  if (value instanceof CelTimestamp) return `timestamp("${value}")`;
  if (value instanceof CelDuration) return `duration("${toText(value)}")`;
  return kubernetesText(value);
}

function bytesText(bytes: Uint8Array): string {
  const message = 'could not convert argument "invalid UTF-8 in bytes, cannot convert to string" to string';
  return decodeUtf8(bytes) ?? fail(`error during formatting: ${message}`);
}

function goInfinity(value: number): string {
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
}

function isScalar(value: CelValue): boolean {
  return (
    typeof value !== 'object' ||
    value instanceof CelUint ||
    value instanceof CelDouble ||
    value instanceof Uint8Array ||
    value instanceof CelTimestamp ||
    value instanceof CelDuration
  );
}

function mapText(
  map: CelMap,
  how: { readonly text: (value: CelValue) => string | undefined; readonly separator: string },
): string | undefined {
  const pairs = map.keys().map((key) => [how.text(key), how.text(map.get(key) ?? null)] as const);
  pairs.sort(([a = ''], [b = '']) => compareText(a, b));
  const texts = pairs.map(([key, value]) =>
    key === undefined || value === undefined ? undefined : key + how.separator + value,
  );
  return joined(texts, ['{', '}']);
}

/** Joins the parts and adds the brackets; returns undefined if a part is undefined, that is, could not be formatted. */
function joined(parts: readonly (string | undefined)[], brackets: readonly [string, string]): string | undefined {
  return parts.includes(undefined) ? undefined : brackets[0] + parts.join(', ') + brackets[1];
}
