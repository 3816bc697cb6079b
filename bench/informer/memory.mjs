// Measures memory for informer.mjs, in its own process: lists `objects` objects, settles, receives `rewrites` new
// versions of each object, and settles again. Run by informer.mjs with --expose-gc; prints one line of JSON.
import { request } from 'node:http';
import { seededRandom, systemClock } from '@kubewright/apimachinery';
import { silentLogger } from '@kubewright/runtime';
import { Informer } from '../../packages/runtime/src/cache/informer.ts';

const [port, objects, rewrites] = process.argv.slice(2).map(Number);
const kind = { group: 'example.com', version: 'v1', kind: 'Thing', plural: 'things', scope: 'Namespaced' };
const open = (path) =>
  new Promise((resolve, reject) => {
    request({ port, path, host: '127.0.0.1' }, (response) => resolve({ body: response }))
      .on('error', reject)
      .end();
  });
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const settle = async () => {
  for (let i = 0; i < 5; i++) {
    globalThis.gc();
    await pause(50);
  }
};
const measured = (before, made) => {
  const now = process.memoryUsage();
  return {
    heap: (now.heapUsed - before.heapUsed) / objects,
    outside: made.memory.used / objects,
    live: made.memory.live / objects,
    resident: now.rss,
  };
};

await settle();
const before = process.memoryUsage();
let watches = 0;
let end;
const rewritten = new Promise((resolve) => {
  end = resolve;
});
const made = new Informer({
  kind,
  listWatcher: {
    list: () => open('/list'),
    watch: async () => (watches++ === 0 ? open(`/rewrites?count=${rewrites}`) : new Promise(() => {})),
  },
  clock: systemClock,
  random: seededRandom(1),
  log: silentLogger,
  useWatchList: false,
  resyncMs: 0,
});
let events = 0;
made.subscribe(() => {
  if (++events === objects * (1 + rewrites)) end();
});
let peak = 0;
const sampler = setInterval(() => {
  peak = Math.max(peak, process.memoryUsage.rss());
}, 5);
const turns = longestTurn();
const stop = new AbortController();
turns.start();
const start = performance.now();
void made.run(stop.signal);
await made.waitForSync(stop.signal);
const syncMs = performance.now() - start;
peak = Math.max(peak, process.memoryUsage.rss());
await pause(5);
clearInterval(sampler);
const blockMs = turns.stop();
// The server sends rewrites only after `/go`, so this measures the state after listing.
await settle();
const listed = measured(before, made);
turns.start();
await open('/go');
await rewritten;
const rewriteBlockMs = turns.stop();
await settle();
const after = measured(before, made);
process.stdout.write(
  `${JSON.stringify({ objects, rewrites, syncMs, blockMs, rewriteBlockMs, peak, base: before.rss, listed, after })}\n`,
);
process.exit();

/**
 * Measures the longest turn of the event loop, in milliseconds of this thread's CPU time. Other programs on the machine
 * do not affect CPU time.
 */
function longestTurn() {
  const used = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  };
  let longest = 0;
  let last = 0;
  let running = false;
  const turn = () => {
    const now = used();
    longest = Math.max(longest, now - last);
    last = now;
    if (running) setImmediate(turn);
  };
  return {
    start: () => {
      running = true;
      longest = 0;
      last = used();
      setImmediate(turn);
    },
    stop: () => {
      running = false;
      return longest;
    },
  };
}
