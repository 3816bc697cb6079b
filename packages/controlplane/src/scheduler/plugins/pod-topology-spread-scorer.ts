import type { NodeInfo } from '../cluster/node-info.ts';
import type { PendingPod } from '../cluster/pod-info.ts';
import type { ClusterView } from '../framework/cluster-view.ts';
import { maxNodeScore, type NodeScorer } from '../framework/plugin.ts';
import {
  countedPods,
  hasEveryKey,
  hasOwnConstraints,
  hostnameKey,
  nodeInclusion,
  type SpreadConstraint,
} from './pod-topology-spread-constraints.ts';

/** Marks nodes that lack a topology label of the pod's own constraints; they get the lowest score. */
const ignored = -1;

/** Scores nodes by the number of matching pods in their domains; fewer is better. */
export function spreadScorer(options: {
  readonly pod: PendingPod;
  readonly view: ClusterView;
  readonly nodes: readonly NodeInfo[];
  readonly constraints: readonly SpreadConstraint[];
}): NodeScorer {
  const { pod, view, nodes, constraints } = options;
  const needsEveryKey = hasOwnConstraints(pod);
  const isIgnored = (node: NodeInfo): boolean => needsEveryKey && !hasEveryKey(node, constraints);
  const scored = needsEveryKey ? nodes.filter((node) => !isIgnored(node)) : nodes;
  const parts = constraints.map((constraint) =>
    domainsOf({ pod, view, constraint, constraints, scored, needsEveryKey }),
  );
  return {
    score(node) {
      if (isIgnored(node)) return ignored;
      let score = 0;
      for (const { constraint, weight, count } of parts) {
        if (!Object.hasOwn(node.labels, constraint.topologyKey)) continue;
        score += count(node) * weight + (constraint.maxSkew - 1);
      }
      return roundHalfAway(score);
    },
    normalize: invert,
  };
}

interface DomainCounts {
  readonly constraint: SpreadConstraint;
  /** Grows with the number of domains, because pods spread over many domains make each count small. */
  readonly weight: number;
  readonly count: (node: NodeInfo) => number;
}

function domainsOf(options: {
  readonly pod: PendingPod;
  readonly view: ClusterView;
  readonly constraint: SpreadConstraint;
  readonly constraints: readonly SpreadConstraint[];
  readonly scored: readonly NodeInfo[];
  readonly needsEveryKey: boolean;
}): DomainCounts {
  const { pod, view, constraint, constraints, scored, needsEveryKey } = options;
  const { topologyKey } = constraint;
  const byNode = view.cache.counts.byNode(countedPods(constraint, pod.namespace));
  if (topologyKey === hostnameKey) {
    return { constraint, weight: Math.log(scored.length + 2), count: ({ name }) => byNode.get(name) ?? 0 };
  }
  const includes = nodeInclusion(pod);
  const counts = new Map<string, number>();
  for (const { labels } of scored) counts.set(labels[topologyKey] ?? '', 0);
  for (const [name, count] of byNode) {
    const node = view.cache.node(name);
    if (!node || (needsEveryKey && !hasEveryKey(node, constraints)) || !includes(node, constraint)) continue;
    const value = node.labels[topologyKey] ?? '';
    const present = counts.get(value);
    if (present !== undefined) counts.set(value, present + count);
  }
  const weight = Math.log(counts.size + 2);
  return { constraint, weight, count: ({ labels }) => counts.get(labels[topologyKey] ?? '') ?? 0 };
}

/** Turns counts into scores in place: domains with fewer pods score higher. */
function invert(scores: number[]): void {
  let least = Number.MAX_SAFE_INTEGER;
  let most = 0;
  for (const score of scores) {
    if (score === ignored) continue;
    if (score < least) least = score;
    if (score > most) most = score;
  }
  for (let i = 0; i < scores.length; i++) {
    const score = scores[i] ?? ignored;
    if (score === ignored) scores[i] = 0;
    else scores[i] = most === 0 ? maxNodeScore : Math.trunc((maxNodeScore * (most + least - score)) / most);
  }
}

function roundHalfAway(value: number): number {
  return value < 0 ? -Math.round(-value) : Math.round(value);
}
