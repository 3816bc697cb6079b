import type { NodeInfo } from '../cluster/node-info.ts';
import type { PendingPod } from '../cluster/pod-info.ts';
import type { ClusterView } from './cluster-view.ts';
import type { Plugin } from './plugin.ts';

/** Returns the weighted sum of all plugins' scores for each node. */
export function scoreNodes(
  pod: PendingPod,
  options: { readonly plugins: readonly Plugin[]; readonly view: ClusterView; readonly nodes: readonly NodeInfo[] },
): readonly number[] {
  const { plugins, view, nodes } = options;
  const totals = new Array<number>(nodes.length).fill(0);
  for (const { preScore, weight = 1 } of plugins) {
    const scorer = preScore?.(pod, view, nodes);
    if (!scorer) continue;
    const scores = nodes.map((node) => scorer.score(node));
    scorer.normalize?.(scores);
    for (let i = 0; i < totals.length; i++) totals[i] = (totals[i] ?? 0) + weight * (scores[i] ?? 0);
  }
  return totals;
}
