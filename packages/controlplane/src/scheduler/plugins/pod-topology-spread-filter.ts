import type { NodeInfo } from '../cluster/node-info.ts';
import type { PendingPod, PodInfo } from '../cluster/pod-info.ts';
import type { ClusterView } from '../framework/cluster-view.ts';
import type { NodeFilter } from '../framework/plugin.ts';
import { type Rejection, unresolvable, unschedulable } from '../framework/rejection.ts';
import { countedPods, hasEveryKey, nodeInclusion, type SpreadConstraint } from './pod-topology-spread-constraints.ts';

const plugin = 'PodTopologySpread';
const skewed = unschedulable(plugin, "node(s) didn't match pod topology spread constraints");
const unlabeled = unresolvable(plugin, "node(s) didn't match pod topology spread constraints (missing required label)");

/** The number of matching pods in each domain of a constraint. */
interface Domains {
  readonly constraint: SpreadConstraint;
  readonly matchesSelf: boolean;
  readonly counts: Map<string, number>;
  /** The smallest of the counts, cached until a count changes. */
  smallest: number | undefined;
}

/** Rejects nodes in domains that already have too many matching pods compared with the domain that has the fewest. */
export class SpreadFilter implements NodeFilter {
  readonly #pod: PendingPod;
  readonly #includes: ReturnType<typeof nodeInclusion>;
  readonly #domains: readonly Domains[];

  private constructor(pod: PendingPod, includes: ReturnType<typeof nodeInclusion>, domains: readonly Domains[]) {
    this.#pod = pod;
    this.#includes = includes;
    this.#domains = domains;
  }

  /** Counts the matching pods of all domains. */
  static count(pod: PendingPod, { cache }: ClusterView, constraints: readonly SpreadConstraint[]): SpreadFilter {
    const includes = nodeInclusion(pod);
    const domains = constraints.map((constraint): Domains => {
      const matchesSelf = constraint.selector.matches(pod.labels);
      return { constraint, matchesSelf, counts: new Map(), smallest: undefined };
    });
    const byNode = constraints.map((constraint) => cache.counts.byNode(countedPods(constraint, pod.namespace)));
    for (const node of cache.nodes) {
      if (!hasEveryKey(node, constraints)) continue;
      domains.forEach(({ constraint, counts }, i) => {
        if (!includes(node, constraint)) return;
        const value = node.labels[constraint.topologyKey] ?? '';
        counts.set(value, (counts.get(value) ?? 0) + (byNode[i]?.get(node.name) ?? 0));
      });
    }
    return new SpreadFilter(pod, includes, domains);
  }

  filter({ labels }: NodeInfo): Rejection | undefined {
    for (const domains of this.#domains) {
      const { constraint, matchesSelf, counts } = domains;
      if (!Object.hasOwn(labels, constraint.topologyKey)) return unlabeled;
      const count = counts.get(labels[constraint.topologyKey] ?? '') ?? 0;
      if (count + (matchesSelf ? 1 : 0) - smallest(domains) > constraint.maxSkew) return skewed;
    }
    return undefined;
  }

  addPod(pod: PodInfo, node: NodeInfo): void {
    this.#change(pod, node, 1);
  }

  removePod(pod: PodInfo, node: NodeInfo): void {
    this.#change(pod, node, -1);
  }

  clone(): SpreadFilter {
    const domains = this.#domains.map((each) => ({ ...each, counts: new Map(each.counts) }));
    return new SpreadFilter(this.#pod, this.#includes, domains);
  }

  #change(pod: PodInfo, node: NodeInfo, by: 1 | -1): void {
    const constraints = this.#domains.map(({ constraint }) => constraint);
    if (pod.namespace !== this.#pod.namespace || !hasEveryKey(node, constraints)) return;
    for (const domains of this.#domains) {
      const { constraint, counts } = domains;
      if (!constraint.selector.matches(pod.labels) || !this.#includes(node, constraint)) continue;
      const value = node.labels[constraint.topologyKey] ?? '';
      counts.set(value, (counts.get(value) ?? 0) + by);
      domains.smallest = undefined;
    }
  }
}

/** Returns the lowest count of any domain, or 0 if there are fewer domains than the constraint requires. */
function smallest(domains: Domains): number {
  const { counts, constraint } = domains;
  if (counts.size < constraint.minDomains) return 0;
  if (domains.smallest === undefined) {
    let least = Number.POSITIVE_INFINITY;
    for (const count of counts.values()) if (count < least) least = count;
    // Infinity if there are no domains: then no node exceeds the allowed skew.
    domains.smallest = least;
  }
  return domains.smallest;
}
