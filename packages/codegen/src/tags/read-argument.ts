import type { ValueType } from '../types/draft.ts';

/** The parsed argument of a tag, or the reason why it is invalid. */
export type Read<T> = { readonly value: T } | { readonly wrong: string };

/** Parses a number, or a nonnegative integer (`count`). */
export function readNumber(text: string, kind: 'number' | 'count'): Read<number> {
  const plain = text.replace(/^=\s*/, '');
  const value = Number(plain);
  if (plain === '' || !Number.isFinite(value)) {
    return { wrong: plain === '' ? 'the argument is missing' : `${JSON.stringify(text)} is not a number` };
  }
  if (kind === 'count' && (!Number.isSafeInteger(value) || value < 0))
    return { wrong: `the argument must be a non-negative integer, got ${text}` };
  return { value };
}

/** Parses names separated by white space or commas. */
export function readNames(text: string): Read<readonly string[]> {
  const names = text.split(/[\s,]+/).filter((name) => name !== '');
  return names.length === 0 ? { wrong: 'the argument is missing' } : { value: names };
}

/** Parses a value of the given type. Strings need no quotes. */
export function readValue(text: string, valueType: ValueType): Read<unknown> {
  const isText = valueType === 'string' || valueType === 'intOrString';
  if (text === '' && !isText) return { wrong: 'the argument is missing' };
  try {
    const value: unknown = JSON.parse(text);
    if (valueType !== 'string' || typeof value === 'string') return { value };
  } catch {
    // Unquoted text or invalid JSON: distinguished below.
  }
  if (isText) return { value: unquoted(text) };
  return { wrong: `${JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)} is not valid JSON` };
}

/** Parses a list of values: JSON, or text separated by `;`, `|`, commas or white space. */
export function readList(text: string, valueType: ValueType): Read<readonly unknown[]> {
  if (text.startsWith('[')) {
    const read = readValue(text, 'any');
    return 'wrong' in read || Array.isArray(read.value)
      ? (read as Read<readonly unknown[]>)
      : { wrong: 'the argument must be a list' };
  }
  const values: unknown[] = [];
  for (const part of text.split(/[\s;|,]+/).filter((each) => each !== '')) {
    const read = readValue(part, valueType);
    if ('wrong' in read) return read;
    values.push(read.value);
  }
  return values.length === 0 ? { wrong: 'the argument is missing' } : { value: values };
}

function unquoted(text: string): string {
  return /^'.*'$|^`.*`$/s.test(text) && text.length > 1 ? text.slice(1, -1) : text;
}
