// Compares the informer with a client that only parses: both list and watch 20,000 objects of 2 KB over HTTP/1.1 from a
// server in a separate process. Also measures the memory of an informer with many more objects, in another process.
// Runs the sources, not a build:
// node --expose-gc --conditions=kubewright-source bench/informer.mjs [--objects N] [--many N] [--rewrites N] [--check]
import { execFile, fork } from 'node:child_process';
import { request } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { seededRandom, systemClock } from '@kubewright/apimachinery';
import { silentLogger } from '@kubewright/runtime';
import { Informer } from '../packages/runtime/src/cache/informer.ts';
import { median } from './cluster/figures.mjs';
import { heading } from './table.mjs';

const { values: flags } = parseArgs({
  options: {
    objects: { type: 'string', default: '20000' },
    many: { type: 'string', default: '200000' },
    rewrites: { type: 'string', default: '10' },
    check: { type: 'boolean', default: false },
  },
});
if (!globalThis.gc) {
  process.stderr.write(
    'cannot measure the heap\n  why: garbage collection cannot be triggered\n  fix: run node --expose-gc\n',
  );
  process.exit(2);
}
const count = Number(flags.objects);
const events = count * 2;
const kind = { group: 'example.com', version: 'v1', kind: 'Thing', plural: 'things', scope: 'Namespaced' };
const { server, port } = await serve(count, events);

async function serve(objects, lines) {
  const made = fork(new URL('./informer/server.mjs', import.meta.url), [String(objects), String(lines)]);
  return { server: made, port: await new Promise((resolve) => made.once('message', resolve)) };
}

/** Measures the memory of an informer after listing, and after rewriting each object several times. */
async function memory(objects) {
  const { server: own, port: at } = await serve(objects, 0);
  const script = fileURLToPath(new URL('./informer/memory.mjs', import.meta.url));
  // By default, V8 drops the bytecode of functions that have not run for several garbage collections: 5 MB in this
  // program, at unpredictable times.
  const node = ['--expose-gc', '--no-flush-bytecode', '--conditions=kubewright-source'];
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...node,
    script,
    `${at}`,
    `${objects}`,
    flags.rewrites,
  ]);
  own.kill();
  return JSON.parse(stdout);
}

const open = (path) =>
  new Promise((resolve, reject) => {
    request({ port, path, host: '127.0.0.1' }, (response) => resolve({ body: response }))
      .on('error', reject)
      .end();
  });

const settle = async () => {
  for (let i = 0; i < 4; i++) {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};

async function parseList() {
  const start = performance.now();
  const { body } = await open('/list');
  const chunks = [];
  for await (const chunk of body) chunks.push(chunk);
  const fetched = performance.now();
  const list = JSON.parse(Buffer.concat(chunks).toString('utf8'));
  const map = new Map(list.items.map((item) => [`${item.metadata.namespace}/${item.metadata.name}`, item]));
  return { ms: performance.now() - start, fetchMs: fetched - start, size: map.size };
}

async function parseWatch() {
  const { body } = await open('/watch');
  const map = new Map();
  let start;
  let seen = 0;
  let rest = '';
  body.setEncoding('utf8');
  for await (const text of body) {
    start ??= performance.now();
    const lines = (rest + text).split('\n');
    rest = lines.pop();
    for (const line of lines) {
      const event = JSON.parse(line);
      map.set(`${event.object.metadata.namespace}/${event.object.metadata.name}`, event.object);
      seen++;
    }
  }
  return { perSecond: seen / ((performance.now() - start) / 1000) };
}

function informer(listWatcher) {
  return new Informer({
    kind,
    listWatcher,
    clock: systemClock,
    random: seededRandom(1),
    log: silentLogger,
    useWatchList: false,
    resyncMs: 0,
  });
}

async function syncInformer() {
  const stop = new AbortController();
  const made = informer({ list: () => open('/list'), watch: () => new Promise(() => {}) });
  const keys = new Set();
  made.subscribe((event) => keys.add(event.object.name));
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const start = performance.now();
  void made.run(stop.signal);
  await made.waitForSync(stop.signal);
  const ms = performance.now() - start;
  await new Promise((resolve) => setTimeout(resolve, 5));
  delay.disable();
  return { ms, blockMs: delay.max / 1e6, made, stop, size: made.lister.size };
}

async function watchInformer() {
  const stop = new AbortController();
  let start;
  let seen = 0;
  let end;
  const done = new Promise((resolve) => (end = resolve));
  const made = informer({
    list: () => open('/empty'),
    watch: async () => {
      if (start) return new Promise(() => {});
      const { body } = await open('/watch');
      body.once('readable', () => (start = performance.now()));
      return { body };
    },
  });
  made.subscribe(() => {
    if (++seen === events) end();
  });
  void made.run(stop.signal);
  await done;
  const perSecond = seen / ((performance.now() - start) / 1000);
  stop.abort();
  return { perSecond, memory: made.memory };
}

const best = (runs, by) => runs.reduce((a, b) => (by(a) < by(b) ? a : b));
await parseList();
(await syncInformer()).stop.abort();
await settle();
// Alternates parsing and syncing, so that other load on the machine affects both equally. The best run of each counts.
const fetched = [];
const synced = [];
for (let i = 0; i < 9; i++) {
  fetched.push(await parseList());
  await settle();
  const run = await syncInformer();
  run.stop.abort();
  synced.push({ ms: run.ms, blockMs: run.blockMs });
  await settle();
}
const parsed = best(fetched, (run) => run.ms);
const sync = best(synced, (run) => run.ms);
// Other programs can delay single runs, whereas blocking by our own code shows in every run. So the median counts.
const block = median(synced.map((run) => run.blockMs));

await settle();
const before = process.memoryUsage();
let held = await syncInformer();
await settle();
const after = process.memoryUsage();
const heap = (after.heapUsed - before.heapUsed) / count;
const outside = held.made.memory.used / count;
held.stop.abort();
held = undefined;
await settle();

const parsing = [];
const watching = [];
for (let i = 0; i < 5; i++) {
  parsing.push(await parseWatch());
  await settle();
  watching.push(await watchInformer());
  await settle();
}
const parsedWatch = best(parsing, (run) => -run.perSecond);
const watched = best(watching, (run) => -run.perSecond);

const bytesHeld = (figures) => figures.heap + figures.outside;
const few = await memory(count);
const many = await memory(Number(flags.many));
// With few objects, most of the memory is the program's own, which shrinks over time. So the baseline is the memory
// right after listing.
const same = bytesHeld(many.after) / bytesHeld(few.listed);
const grown = bytesHeld(many.after) / bytesHeld(many.listed);
const peak = many.peak / many.listed.resident;

heading(`${count} objects of 2 KB, ${events} watch events; best of several runs`);
const ratio = sync.ms / parsed.ms;
const ingest = watched.perSecond / parsedWatch.perSecond;
const bytes = (value) => `${value.toFixed(0)} B`;
const rows = [
  ['fetch + JSON.parse', `${parsed.ms.toFixed(0)} ms`],
  ['of which fetch', `${parsed.fetchMs.toFixed(0)} ms`],
  ['informer synced', `${sync.ms.toFixed(0)} ms`],
  ['ratio', ratio.toFixed(2), '≤ 0.65', ratio <= 0.65],
  ['longest event-loop block, median run', `${block.toFixed(1)} ms`, '≤ 40 ms', block <= 40],
  ['heap an object', bytes(heap), '≤ 500 B', heap <= 500],
  ['heap + outside an object', bytes(heap + outside), '≤ 2600 B', heap + outside <= 2600],
  ['outside an object after two rewrites', bytes(watched.memory.used / count)],
  ['watch events, JSON.parse loop', `${parsedWatch.perSecond.toFixed(0)} 1/s`],
  ['watch events, informer', `${watched.perSecond.toFixed(0)} 1/s`],
  ['ratio', ingest.toFixed(2), '≥ 2', ingest >= 2],
  [`${flags.many} objects: synced`, `${many.syncMs.toFixed(0)} ms`],
  ['longest turn of the event loop, CPU', `${many.blockMs.toFixed(1)} ms`, '≤ 25 ms', many.blockMs <= 25],
  ['peak while listing, of settled', peak.toFixed(2), '≤ 1.3', peak <= 1.3],
  ['heap + outside an object', bytes(bytesHeld(many.listed)), '≤ 2600 B', bytesHeld(many.listed) <= 2600],
  [
    `the same after ${flags.rewrites} rewrites of each`,
    bytes(bytesHeld(many.after)),
    '≤ 2600 B',
    bytesHeld(many.after) <= 2600,
  ],
  ['of what it was before them', grown.toFixed(2), '≤ 1.1', grown <= 1.1],
  [`of an object among ${flags.objects}`, same.toFixed(2), '≤ 1.1', same <= 1.1],
  ['longest turn while rewritten, CPU', `${many.rewriteBlockMs.toFixed(1)} ms`],
];
for (const [what, value, goal = '', met] of rows) {
  const verdict = met === undefined ? '' : met ? 'met' : 'MISSED';
  process.stdout.write(`| ${what.padEnd(38)} | ${value.padStart(12)} | ${goal.padEnd(8)} | ${verdict.padEnd(6)} |\n`);
}
if (flags.check && rows.some(([, , , met]) => met === false)) process.exitCode = 1;
server.kill();
process.exit();
