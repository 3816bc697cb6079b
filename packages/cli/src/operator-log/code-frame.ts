/** The number of lines shown before and after. */
const around = 1;
const longest = 160;

/** A position in a source file; line and column start at 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** Shows a line of source code with its neighbors and a marker under the column; empty if the line does not exist. */
export function codeFrame(source: string, { line, column }: Place): readonly string[] {
  const lines = source.split(/\r?\n/);
  if (line < 1 || line > lines.length) return [];
  const first = Math.max(1, line - around);
  const shown = lines.slice(first - 1, line + around);
  // There is no line below the last line.
  if (shown.at(-1) === '' && shown.length > 1) shown.pop();
  const width = String(first + shown.length - 1).length;
  return shown.flatMap((text, i) => {
    const number = first + i;
    const row = `${String(number).padStart(width)} | ${cut(printable(text))}`.trimEnd();
    if (number !== line) return [row];
    return [row, `${' '.repeat(width)} | ${indentOf(text, column)}^`];
  });
}

/** Returns an indent as wide as the text before the column; tabs are kept. */
function indentOf(text: string, column: number): string {
  return text.slice(0, Math.min(Math.max(column - 1, 0), longest)).replace(/[^\t]/g, ' ');
}

function cut(text: string): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

/** Replaces control characters, which must not reach the terminal. */
function printable(text: string): string {
  return text.replace(/[^\P{Cc}\t\n]/gu, '·');
}
