import { Pod } from '@kubewright/apimachinery/core/v1';
import { accountExists, PodCounts, pause } from './pod-counts.mjs';

const namespace = 'default';

/** Creates pods that run as processes or containers on this machine, and waits until all are ready. */
export async function startPods({ client, residentMb }, { count, image, limitMs }) {
  await accountExists(client);
  const pods = new PodCounts(client, namespace);
  try {
    const startedAt = performance.now();
    await Promise.all(Array.from({ length: count }, (_, i) => createPod(client, `many-${i}`, image)));
    await pods.until(() => pods.ready === count, { limitMs });
    return { seconds: (performance.now() - startedAt) / 1_000, residentMb: residentMb() };
  } finally {
    pods.stop();
  }
}

/** Starts pods one after another. Returns the median time from creating a pod until it is ready, in milliseconds. */
export async function medianStart({ client }, { image, limitMs }) {
  await accountExists(client);
  const pods = new PodCounts(client, namespace);
  try {
    const times = [];
    for (let i = 0; i < 11; i++) {
      const startedAt = performance.now();
      await createPod(client, `one-${i}`, image);
      await pods.until(() => pods.ready === i + 1, { limitMs });
      times.push(performance.now() - startedAt);
      await pause(200);
    }
    return times.sort((a, b) => a - b)[5];
  } finally {
    pods.stop();
  }
}

function createPod(client, name, image) {
  const containers = [{ name: 'main', image, command: ['sleep', '3600'] }];
  const spec = { containers, terminationGracePeriodSeconds: 0 };
  return client.resource(Pod).create(Pod({ metadata: { name, namespace }, spec }));
}
