import { cr, lf, space, tab, type YamlCursor } from './yaml-cursor.ts';

const double = 0x22;
const single = 0x27;
const backslash = 0x5c;

const escapes: ReadonlyMap<string, string> = new Map([
  ['0', '\0'],
  ['a', '\x07'],
  ['b', '\b'],
  ['e', '\x1b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
  ['N', '\x85'],
  ['_', '\xa0'],
  ['L', '\u2028'],
  ['P', '\u2029'],
  [' ', ' '],
  ['"', '"'],
  ['/', '/'],
  ['\\', '\\'],
  ['\t', '\t'],
]);
const codeLengths: ReadonlyMap<string, number> = new Map([
  ['x', 2],
  ['u', 4],
  ['U', 8],
]);

/**
 * Parses a quoted scalar, which can span several lines.
 *
 * @param minColumn - minimum column of continuation lines
 */
export function readQuoted(cursor: YamlCursor, minColumn: number): string {
  const quote = cursor.code();
  const parts: string[] = [];
  let from = ++cursor.at;
  const flush = (): void => {
    if (cursor.at > from) parts.push(cursor.text.slice(from, cursor.at));
  };
  for (;;) {
    if (cursor.atEnd) cursor.fail('found unexpected end of stream');
    const c = cursor.code();
    if (c === quote) {
      flush();
      cursor.at++;
      if (quote === double || cursor.code() !== single) return parts.join('');
      parts.push("'");
      from = ++cursor.at;
    } else if (c === backslash && quote === double) {
      flush();
      cursor.at++;
      if (cursor.isBreak()) continueQuoted(cursor, { parts, minColumn, joined: true });
      else parts.push(readEscape(cursor));
      from = cursor.at;
    } else if (c === lf || (c === cr && cursor.code(1) === lf)) {
      const end = cursor.at;
      let last = end;
      while (last > from && isBlank(cursor.text.charCodeAt(last - 1))) last--;
      if (last > from) parts.push(cursor.text.slice(from, last));
      continueQuoted(cursor, { parts, minColumn, joined: false });
      from = cursor.at;
    } else {
      cursor.at++;
    }
  }
}

/** Advances to the next line with text. A single line break becomes a space; each empty line becomes a line feed. */
function continueQuoted(
  cursor: YamlCursor,
  options: { readonly parts: string[]; readonly minColumn: number; readonly joined: boolean },
): void {
  const { parts, minColumn, joined } = options;
  let empty = 0;
  for (;;) {
    cursor.nextLine();
    if (cursor.isDocumentMarker()) cursor.fail('found unexpected document indicator');
    let indent = cursor.at;
    while (cursor.text.charCodeAt(indent) === space) indent++;
    const column = indent - cursor.lineStart;
    cursor.skipBlanks();
    if (cursor.atEnd) cursor.fail('found unexpected end of stream');
    if (!cursor.isBreak()) {
      if (column < minColumn) cursor.fail('found a quoted scalar that is not indented enough');
      break;
    }
    empty++;
  }
  if (empty > 0) parts.push('\n'.repeat(empty));
  else if (!joined) parts.push(' ');
}

function readEscape(cursor: YamlCursor): string {
  const letter = cursor.text[cursor.at] as string;
  const plain = escapes.get(letter);
  cursor.at++;
  if (plain !== undefined) return plain;
  const length = codeLengths.get(letter);
  if (length === undefined) return cursor.fail('found unknown escape character');
  const digits = cursor.text.slice(cursor.at, cursor.at + length);
  const code = /^[0-9a-fA-F]+$/.test(digits) && digits.length === length ? Number.parseInt(digits, 16) : Number.NaN;
  if (!(code <= 0x10ffff)) return cursor.fail('did not find expected hexdecimal number');
  cursor.at += length;
  return String.fromCodePoint(code);
}

function isBlank(code: number): boolean {
  return code === space || code === tab;
}
