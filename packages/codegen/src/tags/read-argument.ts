import type { TagSubject } from './tag-table.ts';

/** What a tag's text says, or what is wrong with it. */
export type Read<T> = { readonly value: T } | { readonly wrong: string };

/** Reads a whole number that is not negative, or any number. */
export function readNumber(text: string, kind: 'number' | 'count'): Read<number> {
  const plain = text.replace(/^=\s*/, '');
  const value = Number(plain);
  if (plain === '' || !Number.isFinite(value)) return { wrong: `${JSON.stringify(text)} is no number` };
  if (kind === 'count' && (!Number.isSafeInteger(value) || value < 0)) return { wrong: `${text} is no count` };
  return { value };
}

/** Reads names that are divided by white space or commas. */
export function readNames(text: string): Read<readonly string[]> {
  const names = text.split(/[\s,]+/).filter((name) => name !== '');
  return names.length === 0 ? { wrong: 'it names nothing' } : { value: names };
}

/** Reads a value of the type that a field has: texts need no quotes. */
export function readValue(text: string, subject: TagSubject): Read<unknown> {
  const isText = subject === 'string' || subject === 'intOrString';
  if (text === '' && !isText) return { wrong: 'it has no value' };
  try {
    const value: unknown = JSON.parse(text);
    if (subject !== 'string' || typeof value === 'string') return { value };
  } catch {
    // Text without quotes, or no JSON at all: told apart below.
  }
  if (isText) return { value: unquoted(text) };
  return { wrong: `${text.length > 60 ? `${text.slice(0, 60)}…` : text} is no JSON` };
}

/** Reads a list of values: JSON, or texts divided by `;`, `|`, commas or white space. */
export function readList(text: string, subject: TagSubject): Read<readonly unknown[]> {
  if (text.startsWith('[')) {
    const read = readValue(text, 'any');
    return 'wrong' in read || Array.isArray(read.value)
      ? (read as Read<readonly unknown[]>)
      : { wrong: 'it is no list' };
  }
  const values: unknown[] = [];
  for (const part of text.split(/[\s;|,]+/).filter((each) => each !== '')) {
    const read = readValue(part, subject);
    if ('wrong' in read) return read;
    values.push(read.value);
  }
  return values.length === 0 ? { wrong: 'it names no value' } : { value: values };
}

function unquoted(text: string): string {
  return /^'.*'$|^`.*`$/s.test(text) && text.length > 1 ? text.slice(1, -1) : text;
}
