import { KubewrightError } from '@kubewright/apimachinery';

/** Bytes of JSON's structural characters. */
export const quote = 0x22;
const backslash = 0x5c;
export const openBrace = 0x7b;
export const closeBrace = 0x7d;
export const openBracket = 0x5b;
export const closeBracket = 0x5d;
export const comma = 0x2c;

/** Thrown when bytes are not valid JSON. */
export class MalformedJsonError extends KubewrightError {
  override readonly name = 'MalformedJsonError';
  readonly code = 'KW3010';

  constructor(subject: string, options?: { readonly cause?: unknown }) {
    super({ what: `cannot read ${subject}`, why: 'unexpected JSON; the list or watch restarts' }, options);
  }
}

/** Finds the end of a string; `at` is the index after its opening quote. Returns the index after the closing quote, or -1. */
export function skipString(bytes: Uint8Array, at: number, end: number): number {
  let i = at;
  while (i < end) {
    const byte = bytes[i++];
    if (byte === quote) return i;
    if (byte === backslash) i++;
  }
  return -1;
}

/** Returns the index of the first byte that is not whitespace. */
export function skipSpace(bytes: Uint8Array, at: number, end: number): number {
  let i = at;
  while (i < end && bytes[i]! <= 0x20) i++;
  return i;
}

/** Finds the end of the value that starts at `at`, without recursion. Returns the index after it, or -1. */
export function skipValue(bytes: Uint8Array, at: number, end: number): number {
  const first = bytes[at];
  if (first === quote) return skipString(bytes, at + 1, end);
  if (first !== openBrace && first !== openBracket) return skipScalar(bytes, at, end);
  let depth = 0;
  let i = at;
  while (i < end) {
    const byte = bytes[i++]!;
    if (byte === quote) {
      i = skipString(bytes, i, end);
      if (i < 0) return -1;
    } else if (byte === openBrace || byte === openBracket) depth++;
    else if ((byte === closeBrace || byte === closeBracket) && --depth === 0) return i;
  }
  return -1;
}

function skipScalar(bytes: Uint8Array, at: number, end: number): number {
  let i = at;
  while (i < end) {
    const byte = bytes[i]!;
    if (byte === comma || byte === closeBrace || byte === closeBracket || byte <= 0x20) return i;
    i++;
  }
  return i;
}

/** Reads the string whose quotes are at `at` and `end - 1`. */
export function readString(bytes: Buffer, at: number, end: number): string {
  for (let i = at + 1; i < end - 1; i++) {
    const byte = bytes[i]!;
    // Escapes and non-ASCII characters are rare in metadata; all other strings are read with one native copy.
    if (byte === backslash || byte >= 0x80) return JSON.parse(bytes.toString('utf8', at, end)) as string;
  }
  return bytes.toString('latin1', at + 1, end - 1);
}

/**
 * Reads a number. Integers of at most 15 digits (nearly all numbers) are read without creating a string. An empty range
 * is 0.
 */
export function readInteger(bytes: Buffer, at: number, end: number): number {
  let value = 0;
  for (let i = at; i < end; i++) {
    const digit = bytes[i]! - 0x30;
    if (digit < 0 || digit > 9 || end - at > 15) return Number(bytes.toString('latin1', at, end));
    value = value * 10 + digit;
  }
  return value;
}

/** Reports whether the bytes at `at` are exactly this ASCII text. */
export function bytesEqual(bytes: Uint8Array, at: number, text: string): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text.charCodeAt(i)) return false;
  return true;
}
