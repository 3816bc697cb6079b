import type { IssueList } from './issue.ts';

export type TokenKind = 'ident' | 'escapedIdent' | 'int' | 'uint' | 'float' | 'string' | 'bytes' | 'op' | 'eof';

/** A token of the source. Operators and the words `in`, `true`, `false`, `null` have the kind `op`. */
export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  /** Offset in UTF-16 units. */
  readonly offset: number;
}

const words = new Set(['in', 'true', 'false', 'null']);
const twoChar = new Set(['==', '!=', '<=', '>=', '&&', '||']);
const oneChar = new Set('[]{}().,-!?:+*/%<>');
const numberPattern =
  /(?:0x[0-9a-fA-F]+[uU]?|[0-9]+(?:\.[0-9]+(?:[eE][+-]?[0-9]+)?|[eE][+-]?[0-9]+|[uU])?|\.[0-9]+(?:[eE][+-]?[0-9]+)?)/y;
const identPattern = /[A-Za-z_][A-Za-z0-9_]*/y;
const escapedIdentPattern = /`[A-Za-z0-9_.\-/ ]+`/y;
const blank = /(?:[\t \r\n\f]|\/\/[^\n]*)+/y;
const stringPrefix = /[bB]?[rR]?(?="|')/y;
const escapePattern = /\\(?:[abfnrtv"'\\?`]|[0-3][0-7][0-7]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})/y;

/** Splits the source into tokens. Reports and skips invalid characters, as cel-go does. */
export function tokenize(source: string, issues: IssueList): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < source.length) {
    at += matchLength(blank, source, at);
    if (at >= source.length) break;
    const token = next(source, at);
    if (typeof token === 'number') {
      const end = Math.min(token + charLength(source, token), source.length);
      issues.report(at, `Syntax error: token recognition error at: '${printable(source.slice(at, end))}'`);
      at = end;
    } else {
      tokens.push(token);
      at += token.text.length;
    }
  }
  tokens.push({ kind: 'eof', text: '<EOF>', offset: source.length });
  return tokens;
}

/** Returns the token at `at`, or the offset of an invalid character. */
function next(source: string, at: number): Token | number {
  const string = stringAt(source, at);
  if (string !== undefined) return string;
  const number = matchLength(numberPattern, source, at);
  if (number > 0)
    return { kind: numberKind(source.slice(at, at + number)), text: source.slice(at, at + number), offset: at };
  const ident = matchLength(identPattern, source, at);
  if (ident > 0) {
    const text = source.slice(at, at + ident);
    return { kind: words.has(text) ? 'op' : 'ident', text, offset: at };
  }
  const escaped = matchLength(escapedIdentPattern, source, at);
  if (escaped > 0) return { kind: 'escapedIdent', text: source.slice(at, at + escaped), offset: at };
  const two = source.slice(at, at + 2);
  if (twoChar.has(two)) return { kind: 'op', text: two, offset: at };
  const one = source[at]!;
  if (oneChar.has(one)) return { kind: 'op', text: one, offset: at };
  return one === '=' || one === '&' || one === '|' ? at + 1 : at;
}

function numberKind(text: string): TokenKind {
  if (/[uU]$/.test(text)) return 'uint';
  return /^0x/.test(text) || /^[0-9]+$/.test(text) ? 'int' : 'float';
}

/**
 * Returns the string or bytes literal at `at`, or the offset of an invalid character in the literal; undefined if no
 * literal starts at `at`.
 */
function stringAt(source: string, at: number): Token | number | undefined {
  stringPrefix.lastIndex = at;
  const prefix = stringPrefix.exec(source)?.[0];
  if (prefix === undefined) return undefined;
  const kind: TokenKind = /^[bB]/.test(prefix) ? 'bytes' : 'string';
  const raw = /[rR]$/.test(prefix);
  const open = at + prefix.length;
  const quote = source[open]!;
  if (source.startsWith(quote.repeat(3), open)) {
    const end = scanString(source, open + 3, { terminator: quote.repeat(3), raw });
    if (end.closed) return { kind, text: source.slice(at, end.at), offset: at };
    return { kind, text: source.slice(at, open + 2), offset: at };
  }
  const end = scanString(source, open + 1, { terminator: quote, raw });
  if (end.closed) return { kind, text: source.slice(at, end.at), offset: at };
  // If the closing quote is missing, a prefix such as `b` is an ordinary name.
  return prefix === '' ? end.at : undefined;
}

function scanString(
  source: string,
  start: number,
  style: { readonly terminator: string; readonly raw: boolean },
): { readonly at: number; readonly closed: boolean } {
  const multiline = style.terminator.length === 3;
  let at = start;
  while (at < source.length) {
    if (source.startsWith(style.terminator, at)) return { at: at + style.terminator.length, closed: true };
    const char = source[at]!;
    if (!multiline && (char === '\n' || char === '\r')) return { at, closed: false };
    if (char === '\\' && !style.raw) {
      const length = matchLength(escapePattern, source, at);
      if (length === 0) return { at: brokenEscapeAt(source, at), closed: false };
      at += length;
    } else {
      at++;
    }
  }
  return { at, closed: false };
}

/** Returns the offset at which an escape sequence becomes invalid. */
function brokenEscapeAt(source: string, at: number): number {
  const partial = /\\(?:[0-3][0-7]?|[xX][0-9a-fA-F]?|u[0-9a-fA-F]{0,3}|U[0-9a-fA-F]{0,7})?/y;
  return at + matchLength(partial, source, at);
}

function matchLength(pattern: RegExp, source: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(source)?.[0].length ?? 0;
}

function charLength(source: string, at: number): number {
  return (source.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}

function printable(text: string): string {
  return text.replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t');
}
