import type { Clock } from '@kubewright/apimachinery';
import type { NodeConnector, NodeUsage } from '../kube-apiserver/pods/node-connector.ts';
import { type NodeSettings, runLocally } from './cluster-nodes.ts';
import { nodeName } from './node-name.ts';

/**
 * Returns a function that reads the usage of containers from the nodes. If nodes run processes, the first node also reports the
 * usage of this process, which is the control plane.
 */
export function clusterUsage(
  connector: NodeConnector,
  { settings, clock }: { readonly settings: NodeSettings; readonly clock: Clock },
): () => Promise<readonly NodeUsage[]> {
  const first = runLocally(settings) ? nodeName(0) : undefined;
  return async () => {
    const nodes = (await connector.usage?.()) ?? [];
    return nodes.map((node) => (node.name === first ? { ...node, own: thisProcess(clock.now()) } : node));
  };
}

function thisProcess(nowMs: number): NonNullable<NodeUsage['own']> {
  const { user, system } = process.cpuUsage();
  return {
    name: 'kubewright',
    id: `process://${process.pid}`,
    startedAtMs: nowMs - process.uptime() * 1_000,
    atMs: nowMs,
    cpuSeconds: (user + system) / 1e6,
    memoryBytes: process.memoryUsage.rss(),
  };
}
