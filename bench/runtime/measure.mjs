// Measures one implementation: an informer alone, then a controller with one worker, then with eight.
import { Side } from './side.mjs';

const rate = { perSecond: 1_000, seconds: 4 };

export async function measure(start, { server, objects, events }) {
  const control = async (path) => (await fetch(`${server}/control/${path}`)).json();
  const run = (workers) => new Side(start.command, start.args(server, objects, workers), start.env);
  const informer = await measureInformer(run(0), { control, objects, events });
  if (!start.hasController) return informer;
  const one = await measureController(run(1), { control, objects });
  const eight = await measureController(run(8), { control, objects });
  return {
    ...informer,
    reconciles1: one.reconciles,
    reconciles8: eight.reconciles,
    p99of1: one.p99,
    p99of8: eight.p99,
    queue1: one.queue,
    queue8: eight.queue,
  };
}

async function measureInformer(side, { control, objects, events }) {
  const { importMs } = await side.hear('idle');
  const empty = await side.ask('settle');
  const idle = side.memory.resident;
  const synced = await side.ask('sync');
  const { peak } = side.memory;
  const settled = await side.ask('settle');
  const held = side.memory.resident;
  // Warms up the JIT compiler for a fair comparison: some other runtimes are compiled ahead of time.
  await ingest(side, { control, events: objects });
  const cpuMs = side.cpuMs;
  const taken = await ingest(side, { control, events });
  const cpu = side.cpuMs - cpuMs;
  const after = await side.ask('settle');
  const rewritten = side.memory.resident;
  const grown = (to, what) => (to[what] === undefined ? undefined : (to[what] - empty[what]) / objects);
  await side.end();
  return {
    importMs,
    idle: idle / 1e6,
    synced: synced.ms,
    block: synced.blockMs === undefined ? undefined : Math.max(synced.blockMs, taken.blockMs),
    heap: grown(settled, 'heap'),
    outside: grown(settled, 'outside'),
    heapAfter: grown(after, 'heap'),
    outsideAfter: grown(after, 'outside'),
    each: (held - idle) / objects,
    rewritten: (rewritten - idle) / objects,
    peak: peak / held,
    ingest: (events / taken.ms) * 1000,
    cpu: (cpu * 1000) / events,
  };
}

async function ingest(side, { control, events }) {
  side.tell(`count ${events}`);
  await side.hear('armed');
  const { startedMs } = await control(`burst?events=${events}`);
  const { endMs, blockMs } = await side.hear('count');
  return { ms: endMs - startedMs, blockMs };
}

async function measureController(side, { control, objects }) {
  await side.hear('idle');
  await side.ask('sync');
  await side.ask('settle');
  const bursts = [];
  for (let i = 0; i < 3; i++) bursts.push((await ingest(side, { control, events: objects })).ms);
  const queues = [];
  for (let i = 0; i < 3; i++) queues.push((await side.ask('queue')).ms);
  side.tell(`steady ${rate.perSecond * rate.seconds}`);
  await side.hear('armed');
  await control(`steady?rate=${rate.perSecond}&seconds=${rate.seconds}`);
  const { p99 } = await side.hear('steady');
  await side.end();
  const perSecond = (all) => (objects / Math.min(...all)) * 1000;
  return { reconciles: perSecond(bursts), queue: perSecond(queues), p99 };
}
