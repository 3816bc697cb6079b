// Runs an operator through 30 virtual days with faults. Checks daily that everything has converged, and finally that memory
// has not grown. Runs the TypeScript sources directly (Node 24). node --conditions=kubewright-source test/soak/days.mjs
// [--days 30] [--seed N] [--flaw TEXT] [--json]
import { parseArgs } from 'node:util';
import { growth } from '../../bench/soak/growth.mjs';
import { heldBytes } from './held-bytes.mjs';
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
const started = performance.now();
if (!flags.json) say(`${count} days, seed ${seed}`);
const days = [];
{
  await using soak = await Soak.start({ seed, flaw: flags.flaw });
  for (let i = 0; i < count; i++) {
    const day = await soak.day();
    days.push({ ...day, held: await heldBytes() });
    if (!flags.json) print(days.at(-1));
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
  heldMB: settled.at(-1).held / 1e6,
  growth: growth(settled, 'held'),
  wrong: days.flatMap(({ day, wrong }) => wrong.map((what) => `day ${day}: ${what}`)),
};
result.ok = result.wrong.length === 0 && result.growth < limit;
if (flags.json) say(JSON.stringify(result));
else {
  say(
    `\n${result.writes} writes, ${faults} faults, in ${result.seconds} s; slowest convergence ${result.slowestConvergenceS} s`,
  );
  say(
    `held after collection: ${result.heldMB.toFixed(1)} MB, ${(result.growth * 100).toFixed(2)} % over the last three quarters`,
  );
  say(result.ok ? 'met' : 'MISSED');
}
if (!result.ok) process.exitCode = 1;

function print({ day, writes, convergedMs, wrong, held, faults: had }) {
  const count = Object.values(had).reduce((sum, each) => sum + each, 0);
  say(
    `day ${day}: ${writes} writes, ${count} faults, converged after ${convergedMs / 1000} s, holds ${(held / 1e6).toFixed(2)} MB`,
  );
  for (const what of wrong.slice(0, 5)) say(`  ${what}`);
}
