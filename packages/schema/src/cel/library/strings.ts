import { fail } from '../errors.ts';
import { type CelList, elements } from '../values/list.ts';
import type { CelValue } from '../values/value.ts';
import { currentStyle, kubernetesStyle } from './format-styles.ts';
import { type FormatStyle, formatText } from './format-text.ts';
import { type CallContext, type Library, type Overload, overload } from './library.ts';

/**
 * The strings extension in version 2, which Kubernetes uses. {@link stringsReverseLibrary} adds the function that
 * version 3 introduced.
 */
export const stringsLibrary: Library = {
  name: 'cel.lib.ext.strings',
  overloads: [
    overload<[string, number]>('string.charAt(int) string', (_, text, at) => charAt(text, at)),
    overload<[string, string]>('string.indexOf(string) int', (_, text, part) => indexOf(text, part, 0)),
    overload<[string, string, number]>('string.indexOf(string, int) int', (_, text, part, from) =>
      indexOf(text, part, from),
    ),
    overload<[string, string]>('string.lastIndexOf(string) int', (_, text, part) => lastIndexOf(text, part, undefined)),
    overload<[string, string, number]>('string.lastIndexOf(string, int) int', (_, text, part, from) =>
      lastIndexOf(text, part, from),
    ),
    overload<[string]>('string.lowerAscii() string', (_, text) =>
      text.replace(/[A-Z]+/g, (part) => part.toLowerCase()),
    ),
    overload<[string]>('string.upperAscii() string', (_, text) =>
      text.replace(/[a-z]+/g, (part) => part.toUpperCase()),
    ),
    overload<[string, string, string]>('string.replace(string, string) string', (context, text, from, to) =>
      replace(context, text, { from, to, limit: -1 }),
    ),
    overload<[string, string, string, number]>(
      'string.replace(string, string, int) string',
      (context, text, from, to, limit) => replace(context, text, { from, to, limit }),
    ),
    overload<[string, string]>('string.split(string) list(string)', (_, text, at) => split(text, at, -1)),
    overload<[string, string, number]>('string.split(string, int) list(string)', (_, text, at, limit) =>
      split(text, at, limit),
    ),
    overload<[string, number]>('string.substring(int) string', (_, text, start) => substring(text, start, undefined)),
    overload<[string, number, number]>('string.substring(int, int) string', (_, text, start, end) =>
      substring(text, start, end),
    ),
    overload<[string]>('string.trim() string', (_, text) => trim(text)),
    formatOverload(kubernetesStyle),
    overload<[string]>('::strings.quote(string) string', (_, text) => quote(text)),
    overload<[readonly CelValue[] | CelList]>('list(string).join() string', (context, list) => join(context, list, '')),
    overload<[readonly CelValue[] | CelList, string]>('list(string).join(string) string', join),
  ],
};

function formatOverload(style: FormatStyle): Overload {
  return overload<[string, readonly CelValue[] | CelList]>('string.format(list(dyn)) string', (context, text, args) =>
    formatText(context, text, { args: elements(args), style }),
  );
}

/** Returns {@link stringsLibrary} with the `format` style of cel-go's current version. */
export function currentStrings(): Library {
  const others = stringsLibrary.overloads!.filter((overload) => overload.name !== 'format');
  return { name: stringsLibrary.name, overloads: [...others, formatOverload(currentStyle)] };
}

/** `string.reverse()`. Not available in Kubernetes rules. */
export const stringsReverseLibrary: Library = {
  name: 'cel.lib.ext.strings.reverse',
  overloads: [overload<[string]>('string.reverse() string', (_, text) => Array.from(text).reverse().join(''))],
};

/**
 * Returns the text in a form whose indices count code points: unchanged if it has no surrogates, otherwise as an array.
 */
function points(
  text: string,
): ArrayLike<string> & { readonly slice: (start: number, end?: number) => readonly string[] | string } {
  return /[\ud800-\udfff]/.test(text) ? Array.from(text) : text;
}

function piece(text: string, start: number, end?: number): string {
  const part = points(text).slice(start, end);
  return typeof part === 'string' ? part : part.join('');
}

function outOfRange(index: number): never {
  return fail(`index out of range: ${index}`);
}

function charAt(text: string, at: number): string {
  const { length } = points(text);
  return at < 0 || at > length ? outOfRange(at) : piece(text, at, at + 1);
}

function indexOf(text: string, part: string, from: number): number {
  if (part === '') return from;
  if (from < 0) return outOfRange(from);
  const all = points(text);
  if (typeof all === 'string') return from >= all.length ? -1 : all.indexOf(part, from);
  const sub = Array.from(part);
  for (let i = from; i + sub.length <= all.length; i++) {
    if (sub.every((char, j) => all[i + j] === char)) return i;
  }
  return -1;
}

function lastIndexOf(text: string, part: string, from: number | undefined): number {
  const all = points(text);
  if (part === '') return from ?? all.length;
  if (from === undefined && text.length < part.length) return -1;
  const start = from ?? all.length - 1;
  if (start < 0) return outOfRange(start);
  if (start >= all.length) return -1;
  if (typeof all === 'string') return all.lastIndexOf(part, start);
  const sub = Array.from(part);
  for (let i = Math.min(start, all.length - sub.length); i >= 0; i--) {
    if (sub.every((char, j) => all[i + j] === char)) return i;
  }
  return -1;
}

function replace(
  context: CallContext,
  text: string,
  how: { readonly from: string; readonly to: string; readonly limit: number },
): string {
  const { from, to, limit } = how;
  const gaps = from === '' ? text.length + 1 : Math.floor(text.length / from.length);
  context.charge((limit < 0 ? gaps : Math.min(gaps, limit)) * (1 + to.length * 0.1));
  if (from === '') return replaceEmpty(text, to, limit);
  return limit < 0 ? text.replaceAll(from, () => to) : replaceSome(text, how);
}

function replaceSome(
  text: string,
  how: { readonly from: string; readonly to: string; readonly limit: number },
): string {
  let out = '';
  let at = 0;
  for (let done = 0; done < how.limit; done++) {
    const next = text.indexOf(how.from, at);
    if (next < 0) break;
    out += text.slice(at, next) + how.to;
    at = next + how.from.length;
  }
  return out + text.slice(at);
}

/** Replaces the empty string, which matches before every character and at the end. */
function replaceEmpty(text: string, to: string, limit: number): string {
  let left = limit < 0 ? Number.POSITIVE_INFINITY : limit;
  let out = left-- > 0 ? to : '';
  for (const char of text) out += char + (left-- > 0 ? to : '');
  return out;
}

function split(text: string, separator: string, limit: number): readonly string[] {
  if (limit === 0) return [];
  const parts = separator === '' ? Array.from(text) : text.split(separator);
  if (limit < 0 || parts.length <= limit) return parts;
  return [...parts.slice(0, limit - 1), parts.slice(limit - 1).join(separator)];
}

function substring(text: string, start: number, end: number | undefined): string {
  const { length } = points(text);
  if (end !== undefined && start > end) return fail(`invalid substring range. start: ${start}, end: ${end}`);
  if (start < 0 || start > length) return outOfRange(start);
  if (end !== undefined && end > length) return outOfRange(end);
  return piece(text, start, end);
}

const blank = /\p{White_Space}/u;

/**
 * Trims characters with Unicode's White_Space property. Unlike JavaScript's `trim`, this includes U+0085 and excludes
 * U+FEFF.
 */
function trim(text: string): string {
  let end = text.length;
  while (end > 0 && blank.test(text[end - 1]!)) end--;
  let start = 0;
  while (start < end && blank.test(text[start]!)) start++;
  return text.slice(start, end);
}

const quoted: ReadonlyMap<string, string> = new Map([
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
  ['\\', '\\\\'],
  ['"', '\\"'],
]);

function quote(text: string): string {
  const escaped = Array.from(text, (char) => quoted.get(char) ?? (/^[\ud800-\udfff]$/.test(char) ? '\ufffd' : char));
  return `"${escaped.join('')}"`;
}

function join(context: CallContext, list: readonly CelValue[] | CelList, separator: string): string {
  const parts = elements(list).map((part) => (typeof part === 'string' ? part : fail(`join: invalid input: ${part}`)));
  let size = 0;
  for (const part of parts) size += part.length + separator.length;
  context.charge(size * 0.1);
  return parts.join(separator);
}
