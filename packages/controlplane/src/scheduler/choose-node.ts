import type { Pod } from '@kubewright/apimachinery/core/v1';
import { filters, intolerablePreferences, preferredAffinity } from './filters/index.ts';
import { type NodeInfo, podRequests } from './node-info.ts';

/** The node chosen for a pod, or the reason why it is unschedulable. */
export type Choice = { readonly nodeName: string } | { readonly unschedulable: string };

/** Picks the best node for a pod. Pure: the same inputs give the same choice. */
export function chooseNode(pod: Pod, nodes: readonly NodeInfo[]): Choice {
  const counts = new Map<string, number>();
  const feasible: NodeInfo[] = [];
  for (const node of nodes) {
    const reasons = firstReasons(pod, node);
    if (reasons.length === 0) feasible.push(node);
    for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  const best = feasible
    .map((node) => ({ node, score: score(pod, node) }))
    .sort((a, b) => b.score - a.score || podsOf(a.node) - podsOf(b.node) || compareNames(a.node, b.node))[0];
  return best ? { nodeName: best.node.node.metadata.name ?? '' } : { unschedulable: explain(nodes.length, counts) };
}

function firstReasons(pod: Pod, node: NodeInfo): readonly string[] {
  for (const filter of filters) {
    const reasons = filter.reasons(pod, node);
    if (reasons.length > 0) return reasons;
  }
  return [];
}

/** Scores a node with the weights of kube-scheduler's default profile: taints 3, node affinity 2, free resources 1, balance 1. */
function score(pod: Pod, node: NodeInfo): number {
  const requests = podRequests(pod.spec);
  const shares = ['cpu', 'memory'].map((name) => {
    const capacity = node.allocatable.get(name)?.toNumber() ?? 0;
    const used = (node.requested.get(name)?.toNumber() ?? 0) + (requests.get(name)?.toNumber() ?? 0);
    return capacity === 0 ? 1 : Math.min(used / capacity, 1);
  });
  const [cpu = 1, memory = 1] = shares;
  const free = (100 * (1 - cpu + (1 - memory))) / 2;
  const balanced = 100 * (1 - Math.abs(cpu - memory) / 2);
  const tolerable = 100 - Math.min(100, 50 * intolerablePreferences(pod, node.node));
  const preferred = Math.min(100, preferredAffinity(pod, node.node));
  return 3 * tolerable + 2 * preferred + free + balanced;
}

/** Counts the pods of a node: the tiebreaker that spreads pods without requests. */
function podsOf({ requested }: NodeInfo): number {
  return requested.get('pods')?.toNumber() ?? 0;
}

function compareNames(a: NodeInfo, b: NodeInfo): number {
  return (a.node.metadata.name ?? '') < (b.node.metadata.name ?? '') ? -1 : 1;
}

function explain(total: number, counts: ReadonlyMap<string, number>): string {
  if (total === 0) return 'no nodes available to schedule pods';
  const parts = [...counts].map(([reason, count]) => `${count} ${reason}`).sort();
  const none = `preemption: 0/${total} nodes are available: ${total} Preemption is not helpful for scheduling.`;
  return `0/${total} nodes are available: ${parts.join(', ')}. ${none}`;
}
