import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { Namespace, Pod, ServiceAccount } from '@kubewright/apimachinery/core/v1';
import { clientFromConfig, type KubernetesClient, loadClientConfig } from '@kubewright/client';
import { EmbeddedCluster } from '@kubewright/controlplane';
import { type CachedKind, Cluster, cached } from '@kubewright/runtime';

/** The number of pods to create. */
const count = 10_000;
const atOnce = 16;
const namespace = 'many-pods';

/** Prints the size of caches of many pods: of whole pods, of the fields that this example reads, and of metadata. */
async function main(): Promise<void> {
  // Runs in a separate cluster, so that the running operator does not record all these pods, and in a separate thread,
  // whose memory is not measured.
  const worker = new Worker(new URL(import.meta.url));
  const kubeconfig = await new Promise<string>((resolve, reject) =>
    worker.once('message', resolve).once('error', reject),
  );
  const client = clientFromConfig(await loadClientConfig({ kubeconfig }));
  await createPods(client);
  const whole = await weigh(client, cached(Pod, { namespaces: [namespace] }));
  const fields = ['spec.nodeName', 'spec.hostNetwork', 'status.podIPs'];
  const projected = await weigh(client, cached(Pod, { namespaces: [namespace], fields }));
  const metadata = await weigh(client, cached(Pod, { namespaces: [namespace], metadataOnly: true }));
  const [all, some, least] = [whole, projected, metadata].map((megabytes) => megabytes.toFixed(1));
  console.log(`${count} pods: ${all} MB as whole objects, ${some} MB with three fields, ${least} MB as metadata`);
  await client[Symbol.asyncDispose]();
  await worker.terminate();
  if (!(projected < whole / 2)) throw new Error('three fields must take less than half of the memory of whole pods');
}

/** Runs a cluster until the main thread is done. */
async function serve(): Promise<void> {
  const cluster = await EmbeddedCluster.start();
  parentPort?.postMessage(cluster.kubeconfig);
}

/** Creates pods of typical size that are never scheduled. */
async function createPods(client: KubernetesClient): Promise<void> {
  await client.resource(Namespace).create(Namespace({ metadata: { name: namespace } }));
  // Pods need this account, and the controller that creates it may take a moment.
  const account = ServiceAccount({ metadata: { name: 'default', namespace } });
  await client.resource(ServiceAccount).apply(account, { fieldManager: 'memory' });
  const env = Array.from({ length: 20 }, (_, i) => ({ name: `SETTING_${i}`, value: 'a value of ordinary length' }));
  const containers = [{ name: 'main', image: 'registry.example.com/app:1.0', env }];
  let next = 0;
  const create = async (): Promise<void> => {
    while (next < count) {
      const metadata = { name: `pod-${next++}`, namespace, labels: { app: 'many' } };
      await client.resource(Pod).create(Pod({ metadata, spec: { schedulerName: 'none', containers } }));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, create));
}

/** Fills a cache and returns its size in megabytes. */
async function weigh(client: KubernetesClient, kind: CachedKind): Promise<number> {
  const stop = new AbortController();
  const before = await used();
  const cluster = new Cluster({ name: 'weighed', client, caches: [kind] });
  const running = cluster.run(stop.signal);
  await cluster.cache.waitForSync(stop.signal);
  const megabytes = ((await used()) - before) / 1e6;
  stop.abort();
  await running;
  return megabytes;
}

/** Returns the number of bytes that this thread uses inside and outside the JavaScript heap, without garbage. */
async function used(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  // Memory outside the heap is freed a little later than the objects that held it.
  for (let i = 0; i < 5; i++) {
    collect();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

await (isMainThread ? main() : serve());
