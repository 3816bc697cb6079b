import { cr, hash, space, tab, type YamlCursor } from './yaml-cursor.ts';

/**
 * Parses a block scalar, starting at its `|` or `>`. Stops at the start of the first line that is not part of the scalar.
 *
 * @param parentIndent - column of the enclosing collection; -1 at the top level
 */
export function readBlockScalar(cursor: YamlCursor, parentIndent: number): string {
  const folded = cursor.text[cursor.at] === '>';
  const { chomp, digit } = readHeader(cursor);
  const lines: string[] = [];
  const minimum = Math.max(parentIndent + 1, 0);
  let indent = digit === undefined ? undefined : Math.max(parentIndent, 0) + digit;
  let widest = 0;
  while (!cursor.atEnd) {
    if (cursor.isDocumentMarker()) break;
    let at = cursor.at;
    while (cursor.text.charCodeAt(at) === space && (indent === undefined || at - cursor.at < indent)) at++;
    const end = cursor.lineEnd();
    const width = at - cursor.at;
    if (at >= end) {
      lines.push(''); // a line of only blanks is empty
      if (indent === undefined) widest = Math.max(widest, width);
    } else if (indent === undefined) {
      if (width < minimum) break;
      if (widest > width) cursor.fail('block scalar starts with an empty line that is indented more than its text');
      if (cursor.text.charCodeAt(at) === tab && width === 0)
        cursor.fail('found a tab character where an indentation space is expected');
      indent = width;
      lines.push(cursor.text.slice(at, end));
    } else if (width < indent) {
      break;
    } else {
      lines.push(cursor.text.slice(at, end));
    }
    cursor.nextLine();
  }
  return chomped(lines, { folded, chomp });
}

function readHeader(cursor: YamlCursor): { readonly chomp: string; readonly digit: number | undefined } {
  cursor.at++;
  let chomp = '';
  let digit: number | undefined;
  for (;;) {
    const c = cursor.text[cursor.at] ?? '';
    if ((c === '+' || c === '-') && chomp === '') chomp = c;
    else if (c >= '1' && c <= '9' && digit === undefined) digit = Number(c);
    else break;
    cursor.at++;
  }
  const blanksFrom = cursor.at;
  cursor.skipBlanks();
  if (cursor.code() === hash && cursor.at > blanksFrom) cursor.at = cursor.lineEnd();
  if (cursor.code() === cr) cursor.at++;
  if (!cursor.isBreak()) cursor.fail('did not find expected comment or line break');
  cursor.nextLine();
  return { chomp, digit };
}

function chomped(
  lines: readonly string[],
  { folded, chomp }: { readonly folded: boolean; readonly chomp: string },
): string {
  let count = lines.length;
  while (count > 0 && lines[count - 1] === '') count--;
  const trailing = lines.length - count;
  const text = folded ? fold(lines, count) : lines.slice(0, count).join('\n');
  if (chomp === '-') return text;
  if (chomp === '+') return count === 0 ? '\n'.repeat(trailing) : text + '\n'.repeat(trailing + 1);
  return count === 0 ? '' : `${text}\n`;
}

/**
 * Folds lines: joins them with spaces, but keeps the line breaks of empty lines and around lines that start with a blank.
 */
function fold(lines: readonly string[], count: number): string {
  const parts: string[] = [];
  let empty = 0;
  let previous: 'none' | 'text' | 'indented' = 'none';
  for (let i = 0; i < count; i++) {
    const line = lines[i] as string;
    if (line === '') {
      empty++;
      continue;
    }
    const kind = line.charCodeAt(0) === space || line.charCodeAt(0) === tab ? 'indented' : 'text';
    if (previous === 'none') parts.push('\n'.repeat(empty));
    else if (kind === 'text' && previous === 'text') parts.push(empty === 0 ? ' ' : '\n'.repeat(empty));
    else parts.push('\n'.repeat(empty + 1));
    parts.push(line);
    empty = 0;
    previous = kind;
  }
  return parts.join('');
}
