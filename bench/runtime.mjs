// Measures the runtime, and with --peers other runtimes, on 20,000 custom resources of 2 KB from one fake server.
// Run after a build, on Linux: node bench/runtime.mjs [--peers] [--objects N] [--events N] [--rounds N] [--check]
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { median } from './cluster/figures.mjs';
import { installSize } from './runtime/install-size.mjs';
import { measure } from './runtime/measure.mjs';
import { ours, peers } from './runtime/peers.mjs';
import { heading } from './table.mjs';

const { values: flags } = parseArgs({
  options: {
    peers: { type: 'boolean', default: false },
    objects: { type: 'string', default: '20000' },
    events: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '3' },
    only: { type: 'string' },
    check: { type: 'boolean', default: false },
  },
});
const say = (text) => process.stdout.write(`${text}\n`);
const [objects, events] = [Number(flags.objects), Number(flags.events)];
const sides = [ours, ...(flags.peers ? peers(say) : [])].filter(
  ({ name }) => !flags.only || new RegExp(flags.only).test(name),
);
const fake = fork(new URL('./runtime/server.mjs', import.meta.url), [String(objects)]);
const port = await new Promise((resolve) => fake.once('message', resolve));
const server = `http://127.0.0.1:${port}`;
// Warms up the server, so that no implementation pays for compiling the server's code or building its responses.
for (let i = 0; i < 5; i++) {
  for (const query of ['', '?limit=500', '?watch=1&sendInitialEvents=true']) await readOnce(query);
}

const rounds = new Map(sides.map(({ name }) => [name, []]));
// Alternates implementations, so that other load on the machine affects all of them equally.
for (let round = 0; round < Number(flags.rounds); round++) {
  for (const side of sides) {
    rounds.get(side.name).push(await measure(side, { server, objects, events }));
    process.stderr.write(`round ${round + 1}: ${side.name}\n`);
  }
}
fake.kill();

/** Reads a response, or the first chunk of a stream. */
async function readOnce(query) {
  const stop = new AbortController();
  const { body } = await fetch(`${server}/apis/example.com/v1/things${query}`, { signal: stop.signal });
  for await (const chunk of body) {
    if (Buffer.from(chunk).subarray(-400).includes('k8s.io/initial-events-end')) break;
  }
  stop.abort();
}

const middle = (runs, key) =>
  runs.every((run) => run[key] === undefined) ? undefined : median(runs.map((run) => run[key]));
const results = sides.map(({ name }) => {
  const runs = rounds.get(name);
  return { name, ...Object.fromEntries(Object.keys(runs[0]).map((key) => [key, middle(runs, key)])) };
});
const figures = [
  ['time to synced, ms', 'synced', 0],
  ['events taken, 1/s', 'ingest', 0],
  ['CPU an event, µs', 'cpu', 1],
  ['event → reconcile, 1 worker, 1/s', 'reconciles1', 0],
  ['event → reconcile, 8 workers, 1/s', 'reconciles8', 0],
  ['… at 1,000/s, 1 worker, p99, ms', 'p99of1', 2],
  ['… at 1,000/s, 8 workers, p99, ms', 'p99of8', 2],
  ['reconciles from a full queue, 1 worker, 1/s', 'queue1', 0],
  ['reconciles from a full queue, 8 workers, 1/s', 'queue8', 0],
  ['heap an object, B', 'heap', 0],
  ['buffers outside the heap an object, B', 'outside', 0],
  ['heap after six rewrites, B', 'heapAfter', 0],
  ['buffers after six rewrites, B', 'outsideAfter', 0],
  ['resident memory an object, B', 'each', 0],
  ['resident memory after six rewrites, B', 'rewritten', 0],
  ['peak of start, of settled memory', 'peak', 2],
  ['longest event-loop block, ms', 'block', 1],
  ['import, ms', 'importMs', 0],
  ['idle memory, MB', 'idle', 0],
];
heading(`${objects} objects of 2 KB, ${events} events, medians of ${flags.rounds} rounds`);
const cell = (value, digits) =>
  value === undefined
    ? ''
    : value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
const rows = [
  ['figure', ...results.map(({ name }) => name)],
  ['---', ...results.map(() => '---')],
  ...figures.map(([title, key, digits]) => [title, ...results.map((result) => cell(result[key], digits))]),
];
for (const row of rows) say(`| ${row.join(' | ')} |`);

const folder = (path) => fileURLToPath(new URL(path, import.meta.url));
const size = ({ packages, bytes }) => `${packages} packages, ${(bytes / 1e6).toFixed(1)} MB`;
say(`\ninstalled: @kubewright/runtime ${size(installSize(folder('../packages/runtime')))}`);
if (sides.some(({ name }) => name.startsWith('client-node'))) {
  const path = './peers/client-node/node_modules/@kubernetes/client-node';
  say(`installed: @kubernetes/client-node ${size(installSize(folder(path)))}`);
}

const by = (text, key) => results.find(({ name }) => name.startsWith(text))?.[key];
const [mine] = results;
const goals = [
  ['synced, of client-node', mine.synced / by('client-node', 'synced'), '≤', 0.5],
  ['synced, of kube-rs typed', mine.synced / by('kube-rs 5, typed', 'synced'), '≤', 0.5],
  ['events taken, times controller-runtime typed', mine.ingest / by('controller-runtime', 'ingest'), '≥', 12],
  ['events taken, times kube-rs typed', mine.ingest / by('kube-rs', 'ingest'), '≥', 2.5],
  ['events taken, times client-node', mine.ingest / by('client-node', 'ingest'), '≥', 2],
  ['event → reconcile, times controller-runtime', mine.reconciles1 / by('controller-runtime', 'reconciles1'), '≥', 4],
  ['full queue, of controller-runtime typed', mine.queue1 / by('controller-runtime', 'queue1'), '≥', 1],
  ['full queue, 8 workers, of the same', mine.queue8 / by('controller-runtime', 'queue8'), '≥', 1],
  ['heap an object, B', mine.heap, '≤', 500],
  ['heap + outside an object, B', mine.heap + mine.outside, '≤', 2_600],
  ['heap + outside after six rewrites, B', mine.heapAfter + mine.outsideAfter, '≤', 2_600],
  [
    'resident after six rewrites, of controller-runtime',
    mine.rewritten / by('controller-runtime', 'rewritten'),
    '≤',
    1,
  ],
  ['longest event-loop block, ms', mine.block, '≤', 25],
  ['peak of start, of settled', mine.peak, '≤', 1.3],
  ['import, ms', mine.importMs, '≤', 60],
  ['idle memory, MB', mine.idle, '≤', 90],
];
say('\n| goal | value | limit | |\n|---|---|---|---|');
let missed = false;
for (const [title, value, sign, limit] of goals) {
  if (value === undefined || Number.isNaN(value)) continue;
  const met = sign === '≤' ? value <= limit : value >= limit;
  missed ||= !met;
  say(`| ${title} | ${cell(value, 2)} | ${sign} ${limit} | ${met ? 'met' : 'missed'} |`);
}
if (flags.check && missed) process.exitCode = 1;
