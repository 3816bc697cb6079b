import { isNotFound } from '@kubewright/apimachinery';
import { Deployment } from '@kubewright/apimachinery/apps/v1';
import { ConfigMap, Namespace, Pod } from '@kubewright/apimachinery/core/v1';
import { accountExists, PodCounts, pause } from './pod-counts.mjs';

const namespace = 'default';
const image = (version) => `registry.example.com/app:${version}`;

/**
 * Creates a Deployment of 100 pods and waits until all are ready; then creates a Deployment of 500 pods and rolls out a
 * new image.
 */
export async function deployAndRollOut({ client, cpuSeconds }, { limitMs }) {
  await accountExists(client);
  const pods = new PodCounts(client, namespace);
  const deployments = client.resource(Deployment);
  try {
    const cpuBefore = cpuSeconds();
    await deployments.create(deployment('small', 100));
    const deploySeconds = await pods.until(() => pods.ready === 100, { limitMs });
    const deployCpu = cpuSeconds() - cpuBefore;
    await deployments.create(deployment('rolled', 500));
    await pods.until(() => pods.ready === 600, { limitMs });
    const containers = [{ name: 'main', image: image(2) }];
    const body = { spec: { template: { spec: { containers } } } };
    await deployments.patch({ namespace, name: 'rolled' }, { type: 'strategic', body });
    const rollOutSeconds = await pods.until(() => pods.readyWith(image(2)) === 500 && pods.ready === 600, { limitMs });
    return { deploySeconds, deployCpu, rollOutSeconds };
  } finally {
    pods.stop();
  }
}

/** Deletes a namespace with 5,000 ConfigMaps and returns how long it takes until the namespace is gone, in seconds. */
export async function deleteNamespace({ client }) {
  const name = 'full';
  const namespaces = client.resource(Namespace);
  await namespaces.create(Namespace({ metadata: { name } }));
  for (let i = 0; i < 5_000; i += 50) {
    const objects = Array.from({ length: 50 }, (_, k) => ({ metadata: { name: `c-${i + k}`, namespace: name } }));
    await Promise.all(objects.map((object) => client.resource(ConfigMap).create(ConfigMap(object))));
  }
  const startedAt = performance.now();
  await namespaces.delete({ name });
  const exists = () =>
    namespaces.get({ name }).then(
      () => true,
      (error) => {
        if (!isNotFound(error)) throw error;
        return false;
      },
    );
  while (await exists()) await pause(50);
  return (performance.now() - startedAt) / 1_000;
}

/**
 * Creates 1,500 pods that do not fit, then one that fits; returns the seconds until the fitting pod is bound to a node.
 */
export async function scheduleBehindOthers({ client }) {
  await accountExists(client);
  const pods = client.resource(Pod);
  const create = (name, cpu) => {
    const containers = [{ name: 'main', image: image(1), resources: { requests: { cpu } } }];
    return pods.create(Pod({ metadata: { name, namespace }, spec: { containers } }));
  };
  for (let i = 0; i < 1_500; i += 50) {
    await Promise.all(Array.from({ length: 50 }, (_, k) => create(`huge-${i + k}`, '10000')));
  }
  const startedAt = performance.now();
  await create('small', '100m');
  while (!(await pods.get({ namespace, name: 'small' })).spec?.nodeName) await pause(10);
  return (performance.now() - startedAt) / 1_000;
}

/** Creates Deployments and waits until all their pods are ready. */
export async function fillNodes({ client, cpuSeconds, residentMb }, { pods: total, deployments, limitMs }) {
  const pods = new PodCounts(client, namespace);
  try {
    const cpuBefore = cpuSeconds();
    const replicas = total / deployments;
    for (let i = 0; i < deployments; i++) await client.resource(Deployment).create(deployment(`load-${i}`, replicas));
    let peakMb = 0;
    const sample = () => {
      peakMb = Math.max(peakMb, residentMb());
    };
    const seconds = await pods.until(() => pods.ready === total, { limitMs, sample });
    return { seconds, cpuSeconds: cpuSeconds() - cpuBefore, peakMb, slowest: slowestRate(pods.boundAt) };
  } finally {
    pods.stop();
  }
}

function deployment(name, replicas) {
  const labels = { app: name };
  const requests = { cpu: '50m', memory: '64Mi' };
  const containers = [{ name: 'main', image: image(1), resources: { requests } }];
  const template = { metadata: { labels }, spec: { containers } };
  return Deployment({ metadata: { name, namespace }, spec: { replicas, selector: { matchLabels: labels }, template } });
}

/** Returns the lowest number of bindings per second, ignoring the first and last tenth of the bindings. */
function slowestRate(boundAt) {
  const tenth = Math.floor(boundAt.length / 10);
  let slowest = Number.POSITIVE_INFINITY;
  for (let i = tenth; i + tenth < boundAt.length - tenth; i += tenth) {
    slowest = Math.min(slowest, (tenth * 1_000) / (boundAt[i + tenth] - boundAt[i]));
  }
  return slowest;
}
