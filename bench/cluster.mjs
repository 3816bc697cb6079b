// Measures the embedded cluster, and the real control plane if --oracle names its folder. node bench/cluster.mjs
// [--oracle BIN_DIR] [--rounds N] [--seconds N] [--check]
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { median, merge } from './cluster/figures.mjs';
import { goals } from './cluster/goals.mjs';
import { measure } from './cluster/measure.mjs';
import { oracleSide, ourSide } from './cluster/sides.mjs';
import { heading, printTable } from './table.mjs';

const { values: flags } = parseArgs({
  options: {
    oracle: { type: 'string' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '4' },
    'no-build': { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
  },
});
const root = fileURLToPath(new URL('..', import.meta.url));
if (!flags['no-build']) {
  const { status } = spawnSync(process.execPath, [join(root, 'scripts/build.mjs')], { stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}

const seconds = Number(flags.seconds);
const sides = [ourSide(), ...(flags.oracle === undefined ? [] : [oracleSide(flags.oracle)])];
const runs = new Map(sides.map((side) => [side.name, []]));
for (let round = 1; round <= Number(flags.rounds); round++) {
  for (const side of sides) {
    const folder = mkdtempSync(join(tmpdir(), 'kw-bench-'));
    try {
      const figures = await measure(side, { folder, seconds, first: round === 1 });
      runs.get(side.name).push(figures);
      process.stderr.write(`round ${round}, ${side.name}: ${JSON.stringify(figures)}\n`);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

const [ours, oracle] = sides.map((side) => merge(runs.get(side.name), median));
heading(`${flags.rounds} rounds of ${seconds} s, alternating; medians`);
const rows = goals.map(({ figure, unit, digits = 0, goal }) => {
  const ratio = oracle && ours[figure] / oracle[figure];
  const met = goal === undefined || ratio === undefined || goal.holds(ratio);
  return { figure, unit, digits, ours: ours[figure], oracle: oracle?.[figure], ratio, goal: goal?.text, met };
});
printTable(rows, { compared: oracle !== undefined });
if (flags.check && rows.some((row) => !row.met)) process.exitCode = 1;
