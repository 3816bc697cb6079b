/**
 * Records on which nodes kube-scheduler places the pods of random clusters, and its messages for pods that fit on no node:
 *
 *   node record.mjs https://127.0.0.1:PORT TOKEN [FIRST_SEED SEEDS] > choices-1.36.3.json
 *
 * Run the server without admission plugins, controllers and scheduler. This script starts kube-scheduler from the folder in the
 * variable BIN, or from kubewright-oracle/bin in the user's cache.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requestSender } from '../../../../../scripts/send-requests.mjs';
import { programsFolder } from '../../../../../scripts/proof/control-plane.mjs';
import { namespaces, randomCluster } from './clusters.mjs';

const [base, token, first = '1', seeds = '16'] = process.argv.slice(2);
const sendRequest = requestSender(base, token);
const pause = () => new Promise((resolve) => setTimeout(resolve, 15));

async function call(method, path, body, type = 'application/json') {
  const { status, body: json } = await sendRequest(method, path, body, body === undefined ? {} : { 'content-type': type });
  return { status, json };
}

async function must(method, path, body, type) {
  const { status, json } = await call(method, path, body, type);
  if (status >= 300 && !(method === 'DELETE' && status === 404))
    throw new Error(`${method} ${path}: ${status} ${JSON.stringify(json)}`);
  return json;
}

const plurals = {
  Node: '/api/v1/nodes',
  PersistentVolume: '/api/v1/persistentvolumes',
  StorageClass: '/apis/storage.k8s.io/v1/storageclasses',
};
function pathOf({ kind, metadata: { namespace } }) {
  if (namespace === undefined) return plurals[kind];
  return `/api/v1/namespaces/${namespace}/${kind.toLowerCase()}s`;
}

async function create({ status, ...object }) {
  const path = pathOf(object);
  await must('POST', path, object);
  if (!status) return;
  const merge = 'application/merge-patch+json';
  await must('PATCH', `${path}/${object.metadata.name}/status`, { status }, merge);
}

const now = { apiVersion: 'v1', kind: 'DeleteOptions', gracePeriodSeconds: 0 };
const podPath = ({ metadata: { namespace, name } }) => `/api/v1/namespaces/${namespace}/pods/${name}`;

async function remove(object) {
  const path = `${pathOf(object)}/${object.metadata.name}`;
  await call('PATCH', path, { metadata: { finalizers: null } }, 'application/merge-patch+json');
  await must('DELETE', path, now);
  while ((await call('GET', path)).status !== 404) await pause();
}

/** Returns the chosen node, the message, or the nominated node and the victims. */
async function outcome(pod, running) {
  await create(pod);
  try {
    for (;;) {
      const { spec, status } = await must('GET', podPath(pod));
      if (spec.nodeName) return { node: spec.nodeName };
      if (status.nominatedNodeName) return { nominated: status.nominatedNodeName, victims: await victimsOf(running) };
      const condition = status.conditions?.find(({ type }) => type === 'PodScheduled');
      if (condition) return { message: condition.message };
      await pause();
    }
  } finally {
    await remove(pod);
  }
}

/** Waits until all victims are marked for deletion, then recreates them. Returns their names. */
async function victimsOf(running) {
  let names = [];
  for (let calm = 0; calm < 12; calm++) {
    await pause();
    const pods = await Promise.all(running.map((pod) => must('GET', podPath(pod))));
    const found = pods.filter(({ metadata }) => metadata.deletionTimestamp).map(({ metadata }) => metadata.name);
    if (found.length !== names.length) calm = 0;
    names = found.sort();
  }
  for (const pod of running.filter(({ metadata }) => names.includes(metadata.name))) {
    await remove(pod);
    await create(pod);
  }
  return names;
}

async function recordCluster(seed) {
  const { nodes, running, services, pending, volumes, claims, storageClasses } = randomCluster(seed);
  const objects = [...storageClasses, ...claims, ...volumes, ...services, ...nodes, ...running];
  for (const object of objects) await create(object);
  // Give the scheduler's caches time to catch up with the API server.
  await new Promise((resolve) => setTimeout(resolve, 300));
  const outcomes = {};
  for (const pod of pending) outcomes[pod.metadata.name] = await outcome(pod, running);
  for (const object of objects.reverse()) await remove(object);
  await new Promise((resolve) => setTimeout(resolve, 300));
  return outcomes;
}

const folder = mkdtempSync(join(tmpdir(), 'kw-scheduler-'));
const kubeconfig = join(folder, 'kubeconfig');
const config = {
  apiVersion: 'v1',
  kind: 'Config',
  clusters: [{ name: 'c', cluster: { server: base, 'insecure-skip-tls-verify': true } }],
  users: [{ name: 'u', user: { token } }],
  contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
  'current-context': 'x',
};
writeFileSync(kubeconfig, JSON.stringify(config));
const port = String(30_000 + Math.floor(Math.random() * 2_000));
const flags = [`--kubeconfig=${kubeconfig}`, '--leader-elect=false', '--bind-address=127.0.0.1', `--secure-port=${port}`];
const scheduler = spawn(
  join(programsFolder(process.env), 'kube-scheduler'),
  [...flags, '--kube-api-qps=1000', '--kube-api-burst=1000', '--authentication-skip-lookup=true', `--cert-dir=${folder}`],
  { stdio: 'ignore' },
);
try {
  for (const [name, labels] of Object.entries(namespaces)) {
    await must('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } });
  }
  const recorded = {};
  for (let seed = Number(first); seed < Number(first) + Number(seeds); seed++) {
    process.stderr.write(`seed ${seed}\n`);
    recorded[seed] = await recordCluster(seed);
  }
  process.stdout.write(`${JSON.stringify(recorded, null, 1)}\n`);
} finally {
  scheduler.kill();
  sendRequest.close();
  rmSync(folder, { recursive: true, force: true });
}
