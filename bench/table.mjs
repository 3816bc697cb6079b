import { cpus, totalmem } from 'node:os';

/** Prints a heading: the date, the machine and the given text. */
export function heading(how) {
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}, ${Math.round(totalmem() / 2 ** 30)} GiB`;
  process.stdout.write(`\n${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${machine}\n${how}\n\n`);
}

/** Prints rows of figures; with `compared`, also their ratios and goals. */
export function printTable(rows, { compared }) {
  const number = (value, digits) =>
    value === undefined
      ? ''
      : value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  const cells = rows.map(({ figure, unit, digits, ours, oracle, ratio, goal, met }) => {
    const own = [figure, unit, number(ours, digits)];
    if (!compared) return own;
    return [
      ...own,
      number(oracle, digits),
      number(ratio, 2),
      goal ?? '',
      goal === undefined ? '' : met ? 'met' : 'MISSED',
    ];
  });
  const head = ['figure', 'unit', 'Kubewright', ...(compared ? ['Kubernetes', 'ratio', 'goal', ''] : [])];
  const widths = head.map((title, i) => Math.max(title.length, ...cells.map((row) => row[i].length)));
  const textual = new Set([0, 1, 5, 6]);
  for (const row of [head, widths.map((width) => '-'.repeat(width)), ...cells]) {
    const line = row.map((cell, i) => (textual.has(i) ? cell.padEnd(widths[i]) : cell.padStart(widths[i])));
    process.stdout.write(`| ${line.join(' | ')} |\n`);
  }
}
