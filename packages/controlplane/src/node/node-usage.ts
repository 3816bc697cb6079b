import type { NodeUsage } from '../kube-apiserver/pods/node-connector.ts';
import type { Driver, Usage } from './driver.ts';
import type { PodWorker } from './pod/pod-worker.ts';

/** Returns the resource usage of a node's running containers, by pod. */
export async function nodeUsage(
  name: string,
  { driver, workers }: { readonly driver: Driver; readonly workers: readonly PodWorker[] },
): Promise<NodeUsage> {
  const pods = workers.map(({ pod, slots }) => ({
    pod,
    used: slots.flatMap(({ name, state }) => (state.type === 'running' ? [{ pod, name, running: state.running }] : [])),
  }));
  const usages = (await driver.usages?.(pods.flatMap(({ used }) => used))) ?? new Map<string, Usage>();
  return {
    name,
    pods: pods.map(({ pod: { metadata }, used }) => ({
      namespace: metadata.namespace ?? '',
      name: metadata.name ?? '',
      containers: used.flatMap(({ name, running: { containerId: id, startedAtMs } }) => {
        const usage = usages.get(id);
        return usage ? [{ name, id, startedAtMs, ...usage }] : [];
      }),
    })),
  };
}
