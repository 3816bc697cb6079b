import { encodeUtf8 } from '../values/bytes.ts';
import { CelDouble } from '../values/double.ts';
import { intFromBigInt } from '../values/int.ts';
import { CelUint, isUint64 } from '../values/uint.ts';
import type { CelValue } from '../values/value.ts';

/** A literal's value, or an error message. */
export type Literal = { readonly value: CelValue } | { readonly error: string };

export function intLiteral(text: string, negative: boolean): Literal {
  const magnitude = BigInt(text);
  const value = intFromBigInt(negative ? -magnitude : magnitude);
  return value === undefined ? { error: 'invalid int literal' } : { value };
}

export function uintLiteral(text: string): Literal {
  const value = BigInt(text.slice(0, -1));
  return isUint64(value) ? { value: new CelUint(value) } : { error: 'invalid uint literal' };
}

export function doubleLiteral(text: string, negative: boolean): Literal {
  const value = Number(text);
  if (!Number.isFinite(value)) return { error: 'invalid double literal' };
  return { value: new CelDouble(negative ? -value : value) };
}

/** Parses a string literal, quotes and prefix included. */
export function stringLiteral(text: string): Literal {
  const { body, raw } = unquote(text);
  if (raw || !body.includes('\\')) return { value: body };
  let out = '';
  for (const piece of pieces(body)) {
    if (piece.kind === 'text') {
      out += piece.text;
    } else {
      if (piece.code > 0x10ffff || (piece.code >= 0xd800 && piece.code <= 0xdfff)) {
        return { error: 'invalid unicode code point' };
      }
      out += String.fromCodePoint(piece.code);
    }
  }
  return { value: out };
}

/** Parses a bytes literal: octal and hex escapes are bytes, not characters. */
export function bytesLiteral(text: string): Literal {
  const { body, raw } = unquote(text.slice(1));
  if (raw) return { value: encodeUtf8(body) };
  const out: number[] = [];
  for (const piece of pieces(body)) {
    if (piece.kind === 'text') out.push(...encodeUtf8(piece.text));
    else if (piece.unicode) return { error: 'unable to unescape string' };
    else out.push(piece.code & 0xff);
  }
  return { value: Uint8Array.from(out) };
}

function unquote(text: string): { readonly body: string; readonly raw: boolean } {
  const raw = /^[rR]/.test(text);
  const quoted = raw ? text.slice(1) : text;
  const width = /^("""|''').*\1$/s.test(quoted) && quoted.length >= 6 ? 3 : 1;
  return { body: quoted.slice(width, -width).replace(/\r\n?/g, '\n'), raw };
}

type Piece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'code'; readonly code: number; readonly unicode: boolean };

const namedEscapes: Readonly<Record<string, number>> = { a: 7, b: 8, f: 12, n: 10, r: 13, t: 9, v: 11 };

function* pieces(body: string): Generator<Piece> {
  const sequence = /\\(?:([xX])([0-9a-fA-F]{2})|([uU])([0-9a-fA-F]{8}|[0-9a-fA-F]{4})|([0-3][0-7]{2})|(.))/gs;
  let at = 0;
  for (const match of body.matchAll(sequence)) {
    if (match.index > at) yield { kind: 'text', text: body.slice(at, match.index) };
    at = match.index + match[0].length;
    if (match[1] !== undefined) {
      yield { kind: 'code', code: Number.parseInt(match[2]!, 16), unicode: false };
    } else if (match[3] !== undefined) {
      const digits = match[3] === 'u' ? match[4]!.slice(0, 4) : match[4]!;
      yield { kind: 'code', code: Number.parseInt(digits, 16), unicode: true };
      if (digits.length < match[4]!.length) yield { kind: 'text', text: match[4]!.slice(digits.length) };
    } else if (match[5] !== undefined) {
      yield { kind: 'code', code: Number.parseInt(match[5], 8), unicode: false };
    } else {
      const char = match[6]!;
      yield {
        kind: 'code',
        code: Object.hasOwn(namedEscapes, char) ? namedEscapes[char]! : char.codePointAt(0)!,
        unicode: false,
      };
    }
  }
  if (at < body.length) yield { kind: 'text', text: body.slice(at) };
}
