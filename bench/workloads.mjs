// Measures workloads on an embedded cluster with simulated nodes: how soon the pods of Deployments run, the rate of bindings, CPU
// time and memory. Run npm run build first.
//   node bench/workloads.mjs [--nodes 1000] [--pods 10000] [--deployments 10] [--only NAME] [--limit SECONDS] [--check]
import { parseArgs } from 'node:util';
import { systemClock } from '@kubewright/apimachinery';
import { Deployment } from '@kubewright/apimachinery/apps/v1';
import { Pod } from '@kubewright/apimachinery/core/v1';
import { EmbeddedCluster } from '@kubewright/controlplane';
import { heading, printTable } from './table.mjs';

const { values: flags } = parseArgs({
  options: {
    nodes: { type: 'string', default: '1000' },
    pods: { type: 'string', default: '10000' },
    deployments: { type: 'string', default: '10' },
    only: { type: 'string' },
    limit: { type: 'string', default: '600' },
    check: { type: 'boolean', default: false },
  },
});

const namespace = 'default';
const rows = [];

/** Starts a cluster, waits until its nodes are ready, and runs a measurement on it. */
async function onCluster(nodes, measure) {
  const startedAt = performance.now();
  const cluster = await EmbeddedCluster.start({ node: { driver: 'simulated', count: nodes } });
  const readyMs = performance.now() - startedAt;
  try {
    await measure(cluster.client(), readyMs);
  } finally {
    await cluster.stop();
  }
}

/** Counts pods as they get a node and start to run, from one watch. */
function countPods(client, signal) {
  const counts = { bound: 0, running: 0, boundAt: [] };
  const bound = new Set();
  const running = new Set();
  const done = (async () => {
    for await (const event of client.resource(Pod).watch({ namespace, signal })) {
      if (event.type !== 'ADDED' && event.type !== 'MODIFIED') continue;
      const { metadata, spec, status } = event.object;
      if (spec?.nodeName && !bound.has(metadata.uid)) {
        bound.add(metadata.uid);
        counts.boundAt.push(performance.now());
      }
      if (status?.phase === 'Running') running.add(metadata.uid);
      counts.bound = bound.size;
      counts.running = running.size;
    }
  })().catch(() => {});
  return { counts, done };
}

/** Creates Deployments and waits until all their pods run. */
async function runDeployments(client, { pods, deployments }) {
  const stop = new AbortController();
  const { counts } = countPods(client, stop.signal);
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  const replicas = pods / deployments;
  for (let i = 0; i < deployments; i++) await client.resource(Deployment).create(deployment(`load-${i}`, replicas));
  let peak = 0;
  let shownAt = startedAt;
  while (counts.running < pods && performance.now() - startedAt < Number(flags.limit) * 1_000) {
    peak = Math.max(peak, process.memoryUsage().rss);
    if (performance.now() - shownAt > 5_000) {
      shownAt = performance.now();
      process.stderr.write(`${counts.bound} of ${pods} pods bound, ${counts.running} running\n`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  if (counts.running < pods)
    throw new Error(`only ${counts.running} of ${pods} pods run after ${seconds.toFixed(0)} s`);
  const { user, system } = process.cpuUsage(cpuBefore);
  stop.abort();
  return { seconds, cpuSeconds: (user + system) / 1e6, peakMb: peak / 1e6, slowest: slowestRate(counts.boundAt) };
}

function deployment(name, replicas) {
  const labels = { app: name };
  const requests = { cpu: '100m', memory: '64Mi' };
  const containers = [{ name: 'main', image: 'registry.example.com/app:1', resources: { requests } }];
  const template = { metadata: { labels }, spec: { containers } };
  return Deployment({ metadata: { name, namespace }, spec: { replicas, selector: { matchLabels: labels }, template } });
}

/** Returns the lowest number of bindings in a second between the first tenth and the last. */
function slowestRate(boundAt) {
  const tenth = Math.floor(boundAt.length / 10);
  let slowest = Number.POSITIVE_INFINITY;
  for (let i = tenth; i + tenth < boundAt.length - tenth; i += tenth) {
    slowest = Math.min(slowest, (tenth * 1_000) / (boundAt[i + tenth] - boundAt[i]));
  }
  return slowest;
}

function add(figure, value, { unit, digits = 1, goal } = {}) {
  rows.push({
    figure,
    unit: unit ?? '',
    digits,
    ours: value,
    goal: goal?.text,
    met: goal ? goal.holds(value) : undefined,
  });
}
const atMost = (limit) => ({ text: `≤ ${limit}`, holds: (value) => value <= limit });
const atLeast = (limit) => ({ text: `≥ ${limit}`, holds: (value) => value >= limit });

const measurements = {
  async small() {
    await onCluster(20, async (client) => {
      const { seconds, cpuSeconds } = await runDeployments(client, { pods: 100, deployments: 1 });
      add('100 pods on 20 nodes, until all run, s', seconds, { digits: 2 });
      add('… CPU time, s', cpuSeconds, { digits: 2 });
    });
  },
  /** A pod that fits, behind pods that do not. */
  async blocked() {
    await onCluster(20, async (client) => {
      const pods = client.resource(Pod);
      const create = (name, cpu) => {
        const containers = [{ name: 'main', image: 'registry.example.com/app:1', resources: { requests: { cpu } } }];
        return pods.create(Pod({ metadata: { name, namespace }, spec: { containers } }));
      };
      for (let i = 0; i < 1_500; i += 50) {
        await Promise.all(Array.from({ length: 50 }, (_, k) => create(`huge-${i + k}`, '10000')));
      }
      const startedAt = performance.now();
      await create('small', '100m');
      while (!(await pods.get({ namespace, name: 'small' })).spec?.nodeName) {
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      add('a pod behind 1,500 that fit nowhere, until it has a node, s', (performance.now() - startedAt) / 1_000, {
        digits: 2,
      });
    });
  },
  async large() {
    const [nodes, pods] = [Number(flags.nodes), Number(flags.pods)];
    await onCluster(nodes, async (client, readyMs) => {
      add(`${nodes} nodes, until ready, s`, readyMs / 1_000);
      const figures = await runDeployments(client, { pods, deployments: Number(flags.deployments) });
      add(`${pods} pods, until all run, s`, figures.seconds, { goal: atMost(60) });
      add('… CPU time, s', figures.cpuSeconds);
      add('… slowest rate of bindings, 1/s', figures.slowest, { digits: 0, goal: atLeast(500) });
      add('… resident memory, MB', figures.peakMb, { digits: 0, goal: atMost(1_500) });
    });
  },
};

for (const [name, measure] of Object.entries(measurements)) {
  if (flags.only === undefined || flags.only === name) await measure();
}
heading(`workloads, ${new Date(systemClock.now()).toISOString().slice(0, 10)}, Node.js ${process.versions.node}`);
printTable(rows, { compared: false });
if (flags.check && rows.some((row) => row.met === false)) process.exitCode = 1;
