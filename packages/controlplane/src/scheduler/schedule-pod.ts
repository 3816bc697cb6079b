import type { Random } from '@kubewright/apimachinery';
import type { NodeInfo } from './cluster/node-info.ts';
import type { PendingPod } from './cluster/pod-info.ts';
import type { ClusterView } from './framework/cluster-view.ts';
import type { Diagnosis } from './framework/fit-error.ts';
import type { Plugin } from './framework/plugin.ts';
import { type NominatedPods, PodFilters } from './framework/pod-filters.ts';
import type { Rejection } from './framework/rejection.ts';
import { scoreNodes } from './framework/score-nodes.ts';

/** The node chosen for a pod, or the reason why there is none. */
export type Choice =
  /** `best` holds all nodes that share the highest score. */
  | { readonly node: NodeInfo; readonly best: readonly NodeInfo[]; readonly filters: PodFilters }
  /** `filters` is undefined if a plugin rejected the pod before any node was examined. */
  | { readonly diagnosis: Diagnosis; readonly filters: PodFilters | undefined };

/** Options for {@link schedulePod}. */
export interface SchedulePodOptions {
  readonly plugins: readonly Plugin[];
  readonly view: ClusterView;
  readonly nominated: NominatedPods;
  readonly random: Random;
  /** The index of the node to examine first. The search updates it to the index where it stopped. */
  readonly start: { index: number };
}

/** In clusters of up to this many nodes, all nodes are examined. */
const minNodes = 100;

/**
 * Chooses a node for a pod: the node with the highest score among those that pass all filters, at random if several share it. In
 * large clusters, the search stops once enough nodes have passed, and the next search continues from there.
 */
export function schedulePod(pod: PendingPod, options: SchedulePodOptions): Choice {
  const { plugins, view, nominated, random } = options;
  const { nodes: all } = view.cache;
  const filters = PodFilters.prepare(pod, { plugins, view, nominated });
  const empty = { allNodes: all.length, nodes: new Map<string, Rejection>(), others: undefined };
  if (!(filters instanceof PodFilters)) return { diagnosis: { ...empty, before: filters }, filters: undefined };
  const nominee = view.cache.node(pod.nominatedNodeName);
  if (nominee && filters.check(nominee) === undefined) return { node: nominee, best: [nominee], filters };
  const { limit } = filters;
  const nodes = limit ? [...limit.nodeNames].flatMap((name) => view.cache.node(name) ?? []) : all;
  const { feasible, rejected } = examine(nodes, filters, options.start);
  if (all.length > 0) options.start.index = (options.start.index + feasible.length + rejected.size) % all.length;
  if (feasible.length === 0) return { diagnosis: { ...empty, nodes: rejected, others: limit?.others }, filters };
  const best = feasible.length === 1 ? feasible : bestOf(feasible, scoreNodes(pod, { plugins, view, nodes: feasible }));
  // Always in range: `best` is not empty, and random numbers are below 1.
  return { node: best[Math.floor(random.next() * best.length)] as NodeInfo, best, filters };
}

function examine(
  nodes: readonly NodeInfo[],
  filters: PodFilters,
  start: { readonly index: number },
): { readonly feasible: readonly NodeInfo[]; readonly rejected: ReadonlyMap<string, Rejection> } {
  const enough = nodesToFind(nodes.length);
  const feasible: NodeInfo[] = [];
  const rejected = new Map<string, Rejection>();
  for (let i = 0; i < nodes.length && feasible.length < enough; i++) {
    const node = nodes[(start.index + i) % nodes.length];
    if (!node) continue;
    const rejection = filters.check(node);
    if (rejection) rejected.set(node.name, rejection);
    else feasible.push(node);
  }
  return { feasible, rejected };
}

/** Returns the number of feasible nodes to find before the search stops: from 50% of all nodes down to 5% in large clusters. */
export function nodesToFind(nodes: number): number {
  if (nodes < minNodes) return nodes;
  const percentage = Math.max(5, 50 - Math.trunc(nodes / 125));
  return Math.max(minNodes, Math.trunc((nodes * percentage) / 100));
}

/** Returns the nodes with the highest score. */
function bestOf(nodes: readonly NodeInfo[], scores: readonly number[]): readonly NodeInfo[] {
  let highest = Number.NEGATIVE_INFINITY;
  for (const score of scores) if (score > highest) highest = score;
  return nodes.filter((_node, i) => scores[i] === highest);
}
