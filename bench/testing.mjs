// Measures the time that the test kit adds to each test of an operator. Run npm run build first. node bench/testing.mjs
// [--namespaces 100] [--check]
import { parseArgs } from 'node:util';
import { ConfigMap } from '@kubewright/apimachinery/core/v1';
import { controller } from '@kubewright/runtime';
import { reconcileOnce, TestEnvironment } from '@kubewright/testing';
import { median } from './cluster/figures.mjs';
import { heading } from './table.mjs';

const { values: flags } = parseArgs({
  options: {
    namespaces: { type: 'string', default: '100' },
    check: { type: 'boolean', default: false },
  },
});
const count = Number(flags.namespaces);

/**
 * Measures an asynchronous function. `processorMs` includes the cluster's other work in this process, such as deleting
 * earlier namespaces.
 */
async function timed(work) {
  const start = performance.now();
  const before = process.cpuUsage();
  const value = await work();
  const ms = performance.now() - start;
  const { user, system } = process.cpuUsage(before);
  return { value, ms, processorMs: (user + system) / 1000 };
}

/** Creates one namespace after another in an environment, as tests do, and writes an object into each. */
async function namespaceTimes(environment) {
  const times = [];
  while (times.length < count) {
    const { value: namespace, ms, processorMs } = await timed(() => environment.namespace());
    times.push({ ms, processorMs });
    await namespace.client.resource(ConfigMap).create(ConfigMap({ metadata: { name: 'one' } }));
    await namespace[Symbol.asyncDispose]();
  }
  return times;
}

async function reconcileTimes() {
  const object = ConfigMap({ metadata: { name: 'one', namespace: 'default' } });
  const copies = controller({
    for: ConfigMap,
    reconcile: (_object, ctx) => ctx.apply(ConfigMap({ metadata: { name: 'copy' } })).then(() => undefined),
  });
  const times = [];
  while (times.length < count) times.push((await timed(() => reconcileOnce(copies, { objects: [object] }))).ms);
  return times;
}

const { value: environment, ms: startMs } = await timed(() => TestEnvironment.start());
let taken;
let processorMs;
try {
  const { value, processorMs: sum } = await timed(() => namespaceTimes(environment));
  taken = value;
  processorMs = sum / count;
} finally {
  await environment[Symbol.asyncDispose]();
}
const namespaces = taken.map(({ ms }) => ms);
const processorTimes = taken.map((each) => each.processorMs);
const reconciles = await reconcileTimes();
const rows = [
  { figure: 'TestEnvironment.start in a new process', ms: startMs },
  { figure: 'environment.namespace(), the first', ms: namespaces[0] },
  { figure: 'environment.namespace(), median', ms: median(namespaces) },
  { figure: 'environment.namespace(), the slowest', ms: Math.max(...namespaces), limit: 150 },
  { figure: 'processor time of environment.namespace(), median', ms: median(processorTimes) },
  { figure: 'processor time of environment.namespace(), the slowest', ms: Math.max(...processorTimes), limit: 150 },
  { figure: 'processor time of a namespace, an object in it and its deletion', ms: processorMs },
  { figure: 'reconcileOnce, the first', ms: reconciles[0] },
  { figure: 'reconcileOnce, median', ms: median(reconciles) },
];
heading(`${count} namespaces, one after the other, then ${count} reconciles`);
process.stdout.write('| figure | ms | goal | |\n|---|---|---|---|\n');
for (const { figure, ms, limit } of rows) {
  const goal = limit === undefined ? ' | ' : `≤ ${limit} | ${ms <= limit ? 'met' : 'MISSED'}`;
  process.stdout.write(`| ${figure} | ${ms.toFixed(1)} | ${goal} |\n`);
}
if (flags.check && rows.some(({ ms, limit }) => ms > limit)) process.exitCode = 1;
