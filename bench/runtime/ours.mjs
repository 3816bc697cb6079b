// The program for Kubewright in runtime.mjs. Arguments: server, number of objects, number of workers (0: only watches
// and counts).
const importing = performance.now();
const { HttpTransport, KubernetesClient } = await import('@kubewright/client');
const { defineKind, enqueueForObject, Manager, requestController, silentLogger, watch } = await import(
  '@kubewright/runtime'
);
const importMs = performance.now() - importing;
const { ageOf, nowMs, say, serve, settle, Tally } = await import('./protocol.mjs');

const [server, objects, workers] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];
const Thing = defineKind({ group: 'example.com', version: 'v1', kind: 'Thing' });
const client = new KubernetesClient({ transport: new HttpTransport({ server }) });
const tally = new Tally();
let ages = [];
let enqueue;

const counting = (_event) => tally.count();
const things = requestController({
  name: 'thing',
  for: Thing,
  watches: [watch(Thing, workers > 0 ? enqueueForObject() : counting)],
  sources: [
    {
      name: 'all',
      start: async (context) => {
        enqueue = context.enqueue;
      },
    },
  ],
  maxConcurrentReconciles: Math.max(workers, 1),
  reconcile: async (request, { cache }) => {
    const object = cache.lister(Thing).get(request);
    const age = object && ageOf(object);
    if (age !== undefined) ages.push(age);
    tally.count();
  },
});
const manager = new Manager({
  client,
  controllers: [things],
  handleSignals: false,
  log: silentLogger,
  metricsBindAddress: '127.0.0.1:0',
});

serve({
  async sync() {
    const startMs = nowMs();
    const all = tally.reach(objects);
    void manager.run();
    await manager.started();
    // The time of the last handler call counts, as with the other runtimes.
    const { endMs, blockMs } = await all;
    return { ms: endMs - startMs, blockMs };
  },
  settle,
  count: (events) => {
    say({ at: 'armed' });
    return tally.reach(events);
  },
  async steady(events) {
    ages = [];
    say({ at: 'armed' });
    await tally.reach(events);
    ages.sort((a, b) => a - b);
    return { p50: ages[Math.floor(ages.length / 2)], p99: ages[Math.floor(ages.length * 0.99)] };
  },
  async queue() {
    const done = tally.reach(objects);
    const startMs = nowMs();
    for (let i = 0; i < objects; i++) {
      enqueue({ namespace: `namespace-${i % 20}`, name: `thing-${String(i).padStart(6, '0')}` });
    }
    return { ms: (await done).endMs - startMs };
  },
});
say({ at: 'idle', importMs });
