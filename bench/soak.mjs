// Runs an informer and a controller at 1,000 events a second for twenty minutes, in a separate process, and checks
// whether resident memory grows. Runs the sources, not a build (Node 24, Linux):
// node --conditions=kubewright-source bench/soak.mjs [--minutes 20] [--rate 1000] [--objects 20000] [--seed N] [--profile] [--json]
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { growth, mean } from './soak/growth.mjs';
import { heading } from './table.mjs';

const { values: flags } = parseArgs({
  options: {
    minutes: { type: 'string', default: '20' },
    rate: { type: 'string', default: '1000' },
    objects: { type: 'string', default: '20000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    profile: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});
const [minutes, rate, objects, seed] = ['minutes', 'rate', 'objects', 'seed'].map((name) => Number(flags[name]));
const limit = 0.01;
const say = (text) => process.stdout.write(`${text}\n`);
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const program = (path) => fileURLToPath(new URL(path, import.meta.url));

const server = fork(program('./soak/event-server.mjs'), [objects, seed].map(String));
const port = await new Promise((resolve) => server.once('message', resolve));
const control = async (path) => (await fetch(`http://127.0.0.1:${port}/control/${path}`)).json();
const subject = fork(program('./soak/subject.mjs'), [`http://127.0.0.1:${port}`], {
  execArgv: ['--conditions=kubewright-source', ...(flags.profile ? ['--expose-gc'] : [])],
});
let reject = () => {};
subject.once('exit', (code) => reject(new Error(`the operator exited with code ${code}`)));
const ask = (command) =>
  new Promise((resolve, failed) => {
    reject = failed;
    subject.once('message', resolve);
    subject.send(command);
  });

if (!flags.json) heading(`${objects} objects, ${rate} events/s for ${minutes} minutes, seed ${seed}`);
await ask('start');
await control(`run?rate=${rate}`);
const samples = [];
const started = performance.now();
for (let second = 1; second <= minutes * 60; second++) {
  await wait(Math.max(started + second * 1000 - performance.now(), 0));
  samples.push({ second, ...(await ask('memory')) });
  if (second % 60 === 0 && !flags.json) line(samples.slice(-60));
}
const { sent, digest } = await control('stop');
const seen = await converged(digest);
if (flags.profile) say(JSON.stringify(await ask('collect')));

const settled = samples.filter(({ second }) => second > (minutes * 60) / 4);
const result = {
  seed,
  minutes,
  objects,
  perSecond: sent / (minutes * 60),
  reconciles: seen.reconciles,
  residentMB: mean(settled, 'resident') / 1e6,
  growth: growth(settled, 'resident'),
  heapGrowth: growth(settled, 'heap'),
  outsideGrowth: growth(settled, 'external'),
  converged: seen.digest === digest,
};
// A run that did not reach the requested rate proves nothing.
result.ok = result.converged && result.growth < limit && result.perSecond > rate * 0.95;
if (flags.json) say(JSON.stringify(result));
else {
  say(
    `\nresident memory: ${result.residentMB.toFixed(1)} MB, ${percent(result.growth)} over the last three quarters (limit ${percent(limit)})`,
  );
  say(`heap: ${percent(result.heapGrowth)}; buffers outside: ${percent(result.outsideGrowth)}`);
  say(
    `${result.perSecond.toFixed(0)} events/s, ${result.reconciles} reconciles, cache ${result.converged ? 'matches' : 'DOES NOT MATCH'} the server at the end`,
  );
  say(result.ok ? 'met' : 'MISSED');
}
if (!result.ok) process.exitCode = 1;
subject.kill();
server.kill();

/** Waits up to 30 seconds until the cache matches the server. */
async function converged(wanted) {
  let seen;
  for (let tries = 0; tries < 60; tries++) {
    seen = await ask('digest');
    if (seen.digest === wanted) return seen;
    await wait(500);
  }
  return seen;
}

function line(minute) {
  const mb = (key) => `${(mean(minute, key) / 1e6).toFixed(1)} MB`;
  const { second, events, reconciles } = minute.at(-1);
  say(
    `minute ${second / 60}: resident ${mb('resident')}, heap ${mb('heap')} of ${mb('heapTotal')}, buffers ${mb('external')}; ${events} events, ${reconciles} reconciles`,
  );
}

function percent(part) {
  return `${(part * 100).toFixed(2)} %`;
}
