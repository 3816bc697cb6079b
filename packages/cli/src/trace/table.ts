import type { Hop } from './hops.ts';

const headings = ['TIME', 'COMPONENT', 'OBJECT', 'VERSION', 'WHAT'];
/** The widths of columns that are printed before their content is known. */
const liveWidths = [24, 23, 32, 9];

/** Formats the hops as a table with columns as wide as their content. */
export function tableOf(hops: readonly Hop[]): string {
  const table = [headings, ...hops.map(cellsOf)];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  return table.map((row) => rowOf(row, widths)).join('');
}

/** The first row of a table whose other rows are not known yet. */
export const liveHeadings: string = rowOf(headings, liveWidths);

/** Formats a row below the {@link liveHeadings}. */
export function liveRowOf(hop: Hop): string {
  return rowOf(cellsOf(hop), liveWidths);
}

function cellsOf({ time, component, object, resourceVersion, what }: Hop): readonly string[] {
  return [time.replace(/(\.\d{3})\d*Z$/, '$1Z'), component, object, resourceVersion, what];
}

function rowOf(cells: readonly string[], widths: readonly number[]): string {
  const padded = cells.map((cell, column) => cell.padEnd(widths[column] ?? 0));
  return `${padded.join('   ').trimEnd()}\n`;
}
