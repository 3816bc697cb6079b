// Measures the generator on a project of 20 kinds: once from scratch in a separate process, then after changes to one file.
// node bench/codegen.mjs [--kinds 20] [--rounds 5] [--check]
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { median } from './cluster/figures.mjs';
import { kindSource, writeProject } from './codegen/project.mjs';
import { heading } from './table.mjs';

const { values: flags } = parseArgs({
  options: {
    kinds: { type: 'string', default: '20' },
    rounds: { type: 'string', default: '5' },
    check: { type: 'boolean', default: false },
  },
});
const GOALS = { cold: 4_000, change: 300 };
const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'kubewright-codegen-'));
try {
  await measure(folder);
} finally {
  rmSync(folder, { recursive: true });
}

async function measure(project) {
  const kinds = Number(flags.kinds);
  const rounds = Number(flags.rounds);
  const changing = writeProject(project, { kinds, modules: join(root, 'node_modules') });
  const bundle = join(project, 'codegen.mjs');
  await build({
    entryPoints: [join(root, 'packages/codegen/src/index.ts')],
    outfile: bundle,
    bundle: true,
    platform: 'node',
    format: 'esm',
    conditions: ['kubewright-source'],
    external: ['typescript'],
    logLevel: 'error',
  });
  const cold = Array.from({ length: rounds }, () => generateCold(bundle, project));
  const { Generator } = await import(pathToFileURL(bundle).href);
  const generator = new Generator({ root: project });
  const timed = async () => {
    const start = performance.now();
    const before = process.cpuUsage();
    const { files, problems } = await generator.generate();
    if (problems.length > 0) throw new Error(problems[0].what);
    const { user, system } = process.cpuUsage(before);
    return { ms: performance.now() - start, processor: (user + system) / 1000, files };
  };
  const first = await timed();
  const changes = [];
  for (let i = 0; i < 3 * rounds; i++) {
    writeFileSync(changing, kindSource(0, `/** @maxLength ${i + 1} */ readonly added${i}?: string;`));
    const change = await timed();
    if (!change.files.some(({ text }) => text.includes(`added${i}:`))) throw new Error(`change ${i} was not generated`);
    changes.push(change);
  }
  const unchanged = await timed();
  print({ kinds, cold, first, changes, unchanged, files: first.files });
}

function generateCold(bundle, project) {
  const start = performance.now();
  const script = fileURLToPath(new URL('./codegen/cold.mjs', import.meta.url));
  const used = JSON.parse(execFileSync(process.execPath, [script, bundle, project], { encoding: 'utf8' }));
  return { ms: performance.now() - start, ...used };
}

function print({ kinds, cold, first, changes, unchanged, files }) {
  heading(`${kinds} kinds with controllers → ${files.length} files, ${Math.round(bytesOf(files) / 1000)} kB`);
  const figures = { cold: medianOf(cold), change: medianOf(changes) };
  const slowest = changes.reduce((a, b) => (a.ms > b.ms ? a : b));
  const line = (name, { ms, processor }, note = '') => {
    const times = `${ms.toFixed(0).padStart(7)} ms ${processor.toFixed(0).padStart(7)} ms`;
    process.stdout.write(`${name.padEnd(42)}${times}  ${note}\n`);
  };
  process.stdout.write(`${' '.repeat(42)}   wall time    CPU time\n`);
  line('from starting the process to all files', figures.cold, `median of ${cold.length}, goal ${GOALS.cold}`);
  line('the first call in a process that runs', first);
  line('after a change of one kind', figures.change, `median of ${changes.length}, goal ${GOALS.change}`);
  line('after a change of one kind, slowest', slowest);
  line('without a change', unchanged);
  const memory = Math.round(median(cold.map((each) => each.memory)) / 1024);
  process.stdout.write(`most memory of the cold process: ${memory} MB\n`);
  const missed = Object.keys(GOALS).filter((name) => figures[name].ms > GOALS[name]);
  if (missed.length > 0) process.stdout.write(`missed: ${missed.join(', ')}\n`);
  if (flags.check && missed.length > 0) process.exitCode = 1;
}

function bytesOf(files) {
  return files.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
}

function medianOf(runs) {
  return { ms: median(runs.map(({ ms }) => ms)), processor: median(runs.map(({ processor }) => processor)) };
}
