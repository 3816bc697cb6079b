import { dash, hash, space, tab, type YamlCursor } from './yaml-cursor.ts';

const colon = 0x3a;
const question = 0x3f;
const indicators = new Set([...',[]{}#&*!|>\'"%@`'].map((char) => char.charCodeAt(0)));
const flowIndicators = new Set([...',[]{}'].map((char) => char.charCodeAt(0)));

export interface PlainOptions {
  readonly inFlow: boolean;
  /** Minimum column of continuation lines. */
  readonly minColumn: number;
}

/** True if a plain scalar can start here. */
export function startsPlain(cursor: YamlCursor, inFlow: boolean): boolean {
  const c = cursor.code();
  if (c === dash || c === question || c === colon) {
    return !cursor.isBreakOrBlank(1) && !(inFlow && flowIndicators.has(cursor.code(1)));
  }
  return !indicators.has(c);
}

/** True if the cursor is at a `:` that ends a key. */
export function isKeyEnd(cursor: YamlCursor, inFlow: boolean): boolean {
  if (cursor.code() !== colon) return false;
  return cursor.isBreakOrBlank(1) || (inFlow && flowIndicators.has(cursor.code(1)));
}

/** Parses the part of a plain scalar that is on the current line, without trailing blanks. */
export function readPlainLine(cursor: YamlCursor, inFlow: boolean): string {
  const from = cursor.at;
  let end = from;
  // Avoids searching for the end of the line first, because every scalar of a single-line document would repeat the
  // search.
  while (!cursor.isBreak()) {
    const c = cursor.code();
    if (c === space || c === tab) {
      cursor.at++;
      if (cursor.code() === hash) break;
      continue;
    }
    if (isKeyEnd(cursor, inFlow) || (inFlow && flowIndicators.has(c))) break;
    end = ++cursor.at;
  }
  cursor.at = end;
  return cursor.text.slice(from, end);
}

/** Parses the continuation lines of a plain scalar after its first line. */
export function continuePlain(cursor: YamlCursor, first: string, { inFlow, minColumn }: PlainOptions): string {
  const parts = [first];
  for (;;) {
    const end = { at: cursor.at, lineStart: cursor.lineStart };
    cursor.skipBlanks();
    if (!cursor.isBreak() || cursor.atEnd) break;
    let empty = -1;
    let column = 0;
    while (cursor.isBreak() && !cursor.atEnd) {
      cursor.nextLine();
      if (cursor.isDocumentMarker()) break;
      let indent = cursor.at;
      while (cursor.text.charCodeAt(indent) === space) indent++;
      column = indent - cursor.lineStart;
      cursor.skipBlanks();
      empty++;
    }
    const isOver =
      cursor.atEnd ||
      cursor.isDocumentMarker() ||
      cursor.code() === hash ||
      column < minColumn ||
      (inFlow && (flowIndicators.has(cursor.code()) || isKeyEnd(cursor, true)));
    if (isOver) {
      cursor.at = end.at;
      cursor.lineStart = end.lineStart;
      break;
    }
    const line = readPlainLine(cursor, inFlow);
    if (!inFlow && isKeyEndAfterBlanks(cursor)) cursor.fail('mapping values are not allowed in this context');
    parts.push(empty > 0 ? '\n'.repeat(empty) : ' ', line);
  }
  return parts.length === 1 ? first : parts.join('');
}

function isKeyEndAfterBlanks(cursor: YamlCursor): boolean {
  const from = cursor.at;
  cursor.skipBlanks();
  const isEnd = isKeyEnd(cursor, false);
  cursor.at = from;
  return isEnd;
}
