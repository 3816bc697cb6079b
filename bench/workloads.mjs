// Measures workloads: Deployments on simulated nodes, compared with the real controllers and scheduler on the same
// nodes; pods that run as processes and as containers; traffic through a Service. Linux only. Run npm run build first.
// --oracle and the measurement of containers need Node.js 22.18 or newer.
//   node bench/workloads.mjs [--oracle FOLDER] [--only NAME] [--nodes 1000] [--pods 10000] [--deployments 10] [--limit SECONDS] [--check]
import { parseArgs } from 'node:util';
import { heading, printTable } from './table.mjs';
import { deleteNamespace, deployAndRollOut, fillNodes, scheduleBehindOthers } from './workloads/deployments.mjs';
import { medianStart, startPods } from './workloads/local-pods.mjs';
import { measureTraffic } from './workloads/service-traffic.mjs';
import { onEmbeddedCluster, onRealControlPlane } from './workloads/sides.mjs';

const { values: flags } = parseArgs({
  options: {
    oracle: { type: 'string' },
    only: { type: 'string' },
    nodes: { type: 'string', default: '1000' },
    pods: { type: 'string', default: '10000' },
    deployments: { type: 'string', default: '10' },
    limit: { type: 'string', default: '600' },
    check: { type: 'boolean', default: false },
  },
});
const limitMs = Number(flags.limit) * 1_000;
const rows = [];

function add(figure, ours, { oracle, unit = 's', digits = 1, goal, ratioGoal } = {}) {
  const ratio = oracle === undefined ? undefined : ours / oracle;
  const judged = ratioGoal ? ratio : ours;
  const { text, holds } = goal ?? ratioGoal ?? {};
  const met = holds === undefined || judged === undefined ? undefined : holds(judged);
  rows.push({ figure, unit, digits, ours, oracle, ratio, goal: met === undefined ? undefined : text, met });
}
const atMost = (limit) => ({ text: `≤ ${limit}`, holds: (value) => value <= limit });
const atLeast = (limit) => ({ text: `≥ ${limit}`, holds: (value) => value >= limit });

/** Measures simulated nodes of the embedded cluster and, with --oracle, of the real control plane. */
async function onBoth(count, measure) {
  const ours = await onEmbeddedCluster({ driver: 'simulated', count }, measure);
  return { ours, oracle: flags.oracle && (await onRealControlPlane(flags.oracle, { count }, measure)) };
}

const measurements = {
  async rollout() {
    const { ours, oracle } = await onBoth(20, (side) => deployAndRollOut(side, { limitMs }));
    const deployed = { oracle: oracle?.deploySeconds, digits: 2, ratioGoal: atMost(0.33) };
    add('100 pods of a Deployment, until all are ready', ours.deploySeconds, deployed);
    add('… CPU time', ours.deployCpu, { oracle: oracle?.deployCpu, digits: 2 });
    add('rolling update of 500 pods', ours.rollOutSeconds, { oracle: oracle?.rollOutSeconds });
  },
  async namespace() {
    const { ours, oracle } = await onBoth(1, deleteNamespace);
    add('a namespace of 5,000 ConfigMaps, until deleted', ours, { oracle });
  },
  async blocked() {
    const { ours, oracle } = await onBoth(20, scheduleBehindOthers);
    add('a pod behind 1,500 that fit nowhere, until it has a node', ours, { oracle, digits: 2 });
  },
  async large() {
    const [nodes, pods, deployments] = [flags.nodes, flags.pods, flags.deployments].map(Number);
    const { ours, oracle = {} } = await onBoth(nodes, async (side) => {
      const readySeconds = (performance.now() - side.startedAt) / 1_000;
      return { readySeconds, ...(await fillNodes(side, { pods, deployments, limitMs })) };
    });
    add(`${nodes} nodes, until started`, ours.readySeconds, { oracle: oracle.readySeconds });
    add(`${pods} pods, until all are ready`, ours.seconds, { oracle: oracle.seconds, goal: atMost(60) });
    add('… CPU time', ours.cpuSeconds, { oracle: oracle.cpuSeconds });
    add('… slowest rate of bindings', ours.slowest, {
      oracle: oracle.slowest,
      unit: '1/s',
      digits: 0,
      goal: atLeast(500),
    });
    add('… resident memory', ours.peakMb, { oracle: oracle.peakMb, unit: 'MB', digits: 0, goal: atMost(1_500) });
  },
  async processes() {
    const image = 'busybox';
    const node = { driver: 'process', count: 2 };
    const { seconds, residentMb } = await onEmbeddedCluster(node, (side) =>
      startPods(side, { count: 200, image, limitMs }),
    );
    add('200 pods as processes, until all are ready', seconds);
    add('… resident memory of the cluster', residentMb, { unit: 'MB', digits: 0 });
    const ms = await onEmbeddedCluster(node, (side) => medianStart(side, { image, limitMs }));
    add('start of a pod as a process, median', ms, { unit: 'ms', digits: 0 });
  },
  async containers() {
    const folder = '../packages/controlplane/src/node/container/testdata/machine-image.ts';
    const { MachineImage } = await import(folder);
    const machine = await MachineImage.create();
    try {
      const image = 'machine:1';
      const node = { driver: 'container', imageStore: machine.folder, network: 'isolated' };
      const { seconds, residentMb } = await onEmbeddedCluster(node, (side) =>
        startPods(side, { count: 50, image, limitMs }),
      );
      add('50 pods as containers, until all are ready', seconds);
      add('… resident memory of the cluster', residentMb, { unit: 'MB', digits: 0 });
      const ms = await onEmbeddedCluster(node, (side) => medianStart(side, { image, limitMs }));
      add('start of a pod as a container, median', ms, { unit: 'ms', digits: 0, goal: atMost(150) });
    } finally {
      machine[Symbol.dispose]();
    }
  },
  async service() {
    const { service, direct, socat } = await onEmbeddedCluster({}, (side) => measureTraffic(side, { limitMs }));
    add('throughput through a Service', service.gigabits, { unit: 'Gbit/s', goal: atLeast(5) });
    add('… CPU time of the cluster for each GB', service.cpuSecondsPerGb, { digits: 2 });
    add('… directly', direct.gigabits, { unit: 'Gbit/s' });
    if (socat) add('… through socat', socat.gigabits, { unit: 'Gbit/s' });
    add('new connections through a Service', service.connections, { unit: '1/s', digits: 0 });
    add('… directly', direct.connections, { unit: '1/s', digits: 0 });
    if (socat) add('… through socat', socat.connections, { unit: '1/s', digits: 0 });
  },
};

if (flags.only !== undefined && !Object.hasOwn(measurements, flags.only)) {
  process.stderr.write(`--only ${flags.only}: must be one of ${Object.keys(measurements).join(', ')}\n`);
  process.exit(2);
}
for (const [name, measure] of Object.entries(measurements)) {
  if (flags.only === undefined || flags.only === name) await measure();
}
heading('workloads');
printTable(rows, { compared: true });
if (flags.check && rows.some((row) => row.met === false)) process.exitCode = 1;
// Exits explicitly, because idle connections keep the process alive.
process.exit();
