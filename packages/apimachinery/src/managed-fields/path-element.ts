import { stringifyJson } from '../json/stringify-json.ts';
import { quote } from '../text/quote.ts';

/**
 * One element of a path into an object, in the notation of managed fields: `f:name` is a field, `k:{"name":"web"}` a list
 * element identified by its keys, `v:"x"` an element of a set, `i:3` an index.
 *
 * Equal elements are equal strings, because keys are sorted and values are compact JSON.
 */
export type PathElement = string;

/** Creates path elements and formats them for messages. */
export const PathElement: {
  /** Returns the path element for a field or a map entry. */
  readonly field: (name: string) => PathElement;
  /** Returns the path element for the list element with these keys. Their values are scalars. */
  readonly key: (keys: Readonly<Record<string, unknown>>) => PathElement;
  /** Returns the path element for this value in a list that is a set. */
  readonly value: (value: unknown) => PathElement;
  /** Returns the path element for a position in a list. */
  readonly index: (index: number) => PathElement;
  /** Formats an element as the API does in messages: `.name`, `[name="web"]`, `[="x"]`, `[3]`. */
  readonly format: (element: PathElement) => string;
  /** Formats a path as the API does in messages: `.spec.containers[name="web"].image`. */
  readonly formatPath: (path: readonly PathElement[]) => string;
} = {
  field: (name) => `f:${name}`,
  key: keyElement,
  value: valueElement,
  index: indexElement,
  format: formatPathElement,
  formatPath: (path) => path.map(formatPathElement).join(''),
};

function keyElement(keys: Readonly<Record<string, unknown>>): PathElement {
  const parts = Object.keys(keys)
    .sort(compareText)
    .map((name) => `${goJson(name)}:${goJson(keys[name])}`);
  return `k:{${parts.join(',')}}`;
}

function valueElement(value: unknown): PathElement {
  return `v:${goJson(value)}`;
}

function indexElement(index: number): PathElement {
  return `i:${index}`;
}

/** A parsed path element. */
export type ParsedPathElement =
  | { readonly type: 'field'; readonly name: string }
  | { readonly type: 'key'; readonly keys: Readonly<Record<string, unknown>> }
  | { readonly type: 'value'; readonly value: unknown }
  | { readonly type: 'index'; readonly index: number };

/** Parses a path element; returns undefined for any other text. */
function parsePathElement(element: PathElement): ParsedPathElement | undefined {
  const rest = element.slice(2);
  switch (element.slice(0, 2)) {
    case 'f:':
      return { type: 'field', name: rest };
    case 'v:': {
      const value = parseJson(rest);
      return value === undefined ? undefined : { type: 'value', value };
    }
    case 'i:':
      return /^-?\d{1,15}$/.test(rest) ? { type: 'index', index: Number(rest) } : undefined;
    case 'k:': {
      const keys = parseJson(rest);
      if (typeof keys !== 'object' || keys === null || Array.isArray(keys)) return undefined;
      return { type: 'key', keys: keys as Readonly<Record<string, unknown>> };
    }
    default:
      return undefined;
  }
}

/**
 * Returns the canonical text of a path element: keys sorted, values compact. Returns undefined for text that is not a
 * path element. Nearly all elements are already canonical and cost only one regular expression test.
 */
export function canonicalPathElement(text: string): PathElement | undefined {
  if (text.startsWith('f:') || canonicalForm.test(text)) return text;
  const parsed = parsePathElement(text);
  switch (parsed?.type) {
    case 'key':
      return keyElement(parsed.keys);
    case 'value':
      return valueElement(parsed.value);
    case 'index':
      return indexElement(parsed.index);
    default:
      return undefined;
  }
}

const canonicalForm = /^(?:k:\{"[^"\\]*":(?:"[^"\\<>&\u0080-\uffff]*"|[1-9]\d{0,14})\}|v:"[^"\\<>&\u0080-\uffff]*")$/;

function formatPathElement(element: PathElement): string {
  const parsed = parsePathElement(element);
  switch (parsed?.type) {
    case 'field':
      return `.${parsed.name}`;
    case 'index':
      return `[${parsed.index}]`;
    case 'value':
      return `[=${showScalar(parsed.value)}]`;
    case 'key': {
      const parts = Object.keys(parsed.keys)
        .sort(compareText)
        .map((name) => `${name}=${showScalar(parsed.keys[name])}`);
      return `[${parts.join(',')}]`;
    }
    default:
      return `[${element}]`;
  }
}

function showScalar(value: unknown): string {
  return typeof value === 'string' ? quote(value) : stringifyJson(value);
}

/** Compares path elements in the order in which upstream serializes them: fields, then keys, then values, then indices. */
export function comparePathElements(a: PathElement, b: PathElement): number {
  const rank = rankOf(a) - rankOf(b);
  if (rank !== 0) return rank;
  if (a === b) return 0;
  switch (a.charCodeAt(0)) {
    case keyCode:
      return compareKeys(a, b);
    case valueCode:
      return compareValues(parseJson(a.slice(2)), parseJson(b.slice(2)));
    case indexCode:
      return Number(a.slice(2)) - Number(b.slice(2));
    default:
      return compareText(a, b);
  }
}

const fieldCode = 0x66;
const keyCode = 0x6b;
const valueCode = 0x76;
const indexCode = 0x69;

function rankOf(element: PathElement): number {
  switch (element.charCodeAt(0)) {
    case fieldCode:
      return 0;
    case keyCode:
      return 1;
    case valueCode:
      return 2;
    default:
      return 3;
  }
}

/** Compares key by key; if one list of keys is a prefix of the other, the shorter list comes first. */
function compareKeys(a: PathElement, b: PathElement): number {
  const left = sortedEntries(a);
  const right = sortedEntries(b);
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const [nameA, valueA] = left[i] ?? ['', undefined];
    const [nameB, valueB] = right[i] ?? ['', undefined];
    const order = compareText(nameA, nameB) || compareValues(valueA, valueB);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

function sortedEntries(element: PathElement): readonly (readonly [string, unknown])[] {
  const parsed = parsePathElement(element);
  if (parsed?.type !== 'key') return [];
  return Object.entries(parsed.keys).sort(([a], [b]) => compareText(a, b));
}

/** Orders numbers before strings before booleans before null, as structured-merge-diff does. */
function compareValues(a: unknown, b: unknown): number {
  const rank = valueRank(a) - valueRank(b);
  if (rank !== 0) return rank;
  if (isNumber(a) && isNumber(b)) return a < b ? -1 : Number(a > b);
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  return compareText(goJson(a), goJson(b));
}

/** True for numbers and bigints (integers beyond 2^53). */
function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

function valueRank(value: unknown): number {
  if (isNumber(value)) return 0;
  if (typeof value === 'string') return 1;
  if (typeof value === 'boolean') return 2;
  if (Array.isArray(value)) return 3;
  return value === null ? 5 : 4;
}

/** Compares by code point, as Go compares UTF-8 bytes; JavaScript's order differs above U+FFFF. */
function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const left = a.charCodeAt(i);
    const right = b.charCodeAt(i);
    if (left === right) continue;
    const surrogates = Number(isSurrogate(left)) - Number(isSurrogate(right));
    return surrogates !== 0 ? surrogates : left - right;
  }
  return a.length - b.length;
}

function isSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdfff;
}

/** Encodes JSON as Go does, so that the text is the same as from a real API server. */
function goJson(value: unknown): string {
  const text = typeof value === 'bigint' ? String(value) : (JSON.stringify(value, rounded) ?? 'null');
  return /[<>&\u2028\u2029]/.test(text) ? text.replace(/[<>&\u2028\u2029]/g, escapeCharacter) : text;
}

/** Rounds a bigint nested in another value, because `JSON.stringify` rejects bigints. */
function rounded(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value;
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function parseJson(text: string): unknown {
  try {
    return /^-?\d{16,}$/.test(text) ? BigInt(text) : JSON.parse(text);
  } catch {
    // The text is not JSON; the caller reports that it is not a path element.
    return undefined;
  }
}
