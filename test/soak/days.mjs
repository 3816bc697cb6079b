// Lets an operator live through 30 virtual days with faults, and asks each day whether everything is as it should be, and in
// the end whether the heap has grown. Runs the sources themselves (Node 24), without optimised code and with all bytecode
// kept: what V8 notes of them comes and goes for weeks, and is more than a leak would be.
// node --no-opt --no-maglev --no-flush-bytecode --expose-gc --conditions=kubewright-source test/soak/days.mjs [--days 30] [--seed N] [--flaw TEXT] [--json]
import { parseArgs } from 'node:util';
import { growth } from '../../bench/soak/growth.mjs';
import { Soak } from './soak.ts';

const { values: flags } = parseArgs({
  options: {
    days: { type: 'string', default: '30' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    flaw: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});
const [count, seed] = [Number(flags.days), Number(flags.seed)];
const limit = 0.01;
const say = (text) => process.stdout.write(`${text}\n`);
if (!globalThis.gc) {
  process.stderr.write('heap cannot be measured\n  why: no garbage collection on demand\n  do: node --expose-gc\n');
  process.exit(2);
}

const started = performance.now();
if (!flags.json) say(`${count} days, seed ${seed}`);
const days = [];
{
  await using soak = await Soak.start({ seed, flaw: flags.flaw });
  for (let i = 0; i < count; i++) {
    const day = await soak.day();
    days.push({ ...day, heap: await heapUsed() });
    if (!flags.json) tell(days.at(-1));
  }
}
const faults = days.flatMap((day) => Object.values(day.faults)).reduce((sum, each) => sum + each, 0);
const settled = days.filter(({ day }) => day > count / 4);
const result = {
  seed,
  days: count,
  seconds: Math.round((performance.now() - started) / 1000),
  writes: days.reduce((sum, { writes }) => sum + writes, 0),
  faults,
  slowestConvergenceS: Math.max(...days.map(({ convergedMs }) => convergedMs)) / 1000,
  heapMB: settled.at(-1).heap / 1e6,
  growth: growth(settled, 'heap'),
  wrong: days.flatMap(({ day, wrong }) => wrong.map((what) => `day ${day}: ${what}`)),
};
result.ok = result.wrong.length === 0 && result.growth < limit;
if (flags.json) say(JSON.stringify(result));
else {
  say(
    `\n${result.writes} writes, ${faults} faults, in ${result.seconds} s; slowest convergence ${result.slowestConvergenceS} s`,
  );
  say(
    `heap after collection: ${result.heapMB.toFixed(1)} MB, ${(result.growth * 100).toFixed(2)} % over the last three quarters`,
  );
  say(result.ok ? 'met' : 'MISSED');
}
if (!result.ok) process.exitCode = 1;

function tell({ day, sites, writes, convergedMs, wrong, heap, faults: had }) {
  const count = Object.values(had).reduce((sum, each) => sum + each, 0);
  say(
    `day ${day}: ${sites} sites, ${writes} writes, ${count} faults, converged after ${convergedMs / 1000} s, heap ${(heap / 1e6).toFixed(2)} MB`,
  );
  for (const what of wrong.slice(0, 5)) say(`  ${what}`);
}

async function heapUsed() {
  for (let i = 0; i < 4; i++) {
    globalThis.gc();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return process.memoryUsage().heapUsed;
}
