import type { Hop } from './hops.ts';

const headings = { time: 'TIME', component: 'COMPONENT', object: 'OBJECT', resourceVersion: 'VERSION', what: 'WHAT' };
/** The widths of columns that are printed before their content is known. */
const liveWidths = [24, 23, 32, 9];
const stepWidth = 5;

/** Options for the tables. */
interface TableOptions {
  /** True if the first column has the step of each hop. @defaultValue false */
  readonly steps?: boolean | undefined;
}

/** Formats the hops as a table with columns as wide as their content. */
export function tableOf(hops: readonly Hop[], options: TableOptions = {}): string {
  const table = [headings, ...hops].map(cellsOf);
  const widths = [0, 1, 2, 3].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  const rows = table.map((row) => rowOf(row, widths));
  return withSteps(rows, options.steps ? ['STEP', ...hops.map(({ step = '' }) => step)] : undefined).join('');
}

/** Returns the first row of a table whose other rows are still unknown. */
export function liveHeadings({ steps }: TableOptions): string {
  return withSteps([rowOf(cellsOf(headings), liveWidths)], steps ? ['STEP'] : undefined).join('');
}

/** Formats a row below the {@link liveHeadings}. */
export function liveRowOf(hop: Hop, { steps }: TableOptions): string {
  return withSteps([rowOf(cellsOf(hop), liveWidths)], steps ? [hop.step ?? ''] : undefined).join('');
}

function withSteps(rows: readonly string[], steps: readonly string[] | undefined): readonly string[] {
  if (steps === undefined) return rows;
  return rows.map((row, at) => `${(steps[at] ?? '').padEnd(stepWidth)}   ${row}`);
}

function cellsOf({ time, component, object, resourceVersion, what }: Hop): readonly string[] {
  return [time.replace(/(\.\d{3})\d*Z$/, '$1Z'), component, object, resourceVersion, what];
}

function rowOf(cells: readonly string[], widths: readonly number[]): string {
  const padded = cells.map((cell, column) => cell.padEnd(widths[column] ?? 0));
  return `${padded.join('   ').trimEnd()}\n`;
}
