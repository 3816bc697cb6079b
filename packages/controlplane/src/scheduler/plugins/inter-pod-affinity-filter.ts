import {
  type AffinityTerm,
  type Labels,
  matchesAllTerms,
  termMatches,
  withNamespaces,
} from '../cluster/affinity-term.ts';
import type { NodeInfo } from '../cluster/node-info.ts';
import type { CountedPods } from '../cluster/pod-counts.ts';
import type { PendingPod, PodInfo } from '../cluster/pod-info.ts';
import type { ClusterView } from '../framework/cluster-view.ts';
import type { NodeFilter } from '../framework/plugin.ts';
import { type Rejection, unresolvable, unschedulable } from '../framework/rejection.ts';

const plugin = 'InterPodAffinity';
const noAffinity = unresolvable(plugin, "node(s) didn't match pod affinity rules");
const antiAffinity = unschedulable(plugin, "node(s) didn't match pod anti-affinity rules");
const existingAntiAffinity = unschedulable(plugin, "node(s) didn't satisfy existing pods anti-affinity rules");

/** Prepares the filter, or returns undefined if no required term of this pod or of a running pod restricts its nodes. */
export function interPodAffinityFilter(pod: PendingPod, view: ClusterView): NodeFilter | undefined {
  const resolve = <T extends AffinityTerm>(term: T): T => withNamespaces(term, view.objects.namespacesMatching);
  const required = pod.terms.required.map(resolve);
  const requiredAnti = pod.terms.requiredAnti.map(resolve);
  const namespaceLabels = view.objects.namespaceLabels(pod.namespace);
  const existing = new TopologyCounts();
  for (const { term, byNode } of view.cache.terms.requiredAnti) {
    if (termMatches(term, pod, namespaceLabels)) existing.addNodes(view, term, byNode);
  }
  if (existing.isEmpty && required.length === 0 && requiredAnti.length === 0) return undefined;
  const affinity = new TopologyCounts();
  if (required.length > 0) {
    const byNode = view.cache.counts.byNode(matchedByAll(required));
    for (const term of required) affinity.addNodes(view, term, byNode);
  }
  const anti = new TopologyCounts();
  for (const term of requiredAnti) anti.addNodes(view, term, view.cache.counts.byNode(matchedByAll([term])));
  return new InterPodAffinityFilter({ pod, required, requiredAnti, namespaceLabels, existing, affinity, anti });
}

/** Returns the group of pods that all terms match. */
export function matchedByAll(terms: readonly AffinityTerm[]): CountedPods {
  const everywhere = terms.some(({ namespaceSelector }) => namespaceSelector.isEmpty);
  const namespaces = everywhere ? undefined : new Set(terms.flatMap((term) => [...term.namespaces]));
  return {
    key: `affinity ${terms.map(({ key }) => key).join(' + ')}`,
    namespaces,
    matches: (pod) => matchesAllTerms(terms, pod),
  };
}

interface State {
  readonly pod: PendingPod;
  readonly required: readonly AffinityTerm[];
  readonly requiredAnti: readonly AffinityTerm[];
  readonly namespaceLabels: Labels;
  /** Domains with running pods whose required anti-affinity matches this pod. */
  readonly existing: TopologyCounts;
  /** Domains with pods that match all required affinity terms of this pod. */
  readonly affinity: TopologyCounts;
  /** Domains with pods that match a required anti-affinity term of this pod. */
  readonly anti: TopologyCounts;
}

class InterPodAffinityFilter implements NodeFilter {
  readonly #state: State;

  constructor(state: State) {
    this.#state = state;
  }

  filter({ labels }: NodeInfo): Rejection | undefined {
    const { existing, anti, requiredAnti } = this.#state;
    if (!this.#hasAffinity(labels)) return noAffinity;
    if (requiredAnti.some(({ topologyKey }) => anti.count(topologyKey, labels) > 0)) return antiAffinity;
    return existing.touches(labels) ? existingAntiAffinity : undefined;
  }

  addPod(pod: PodInfo, node: NodeInfo): void {
    this.#change(pod, node, 1);
  }

  removePod(pod: PodInfo, node: NodeInfo): void {
    this.#change(pod, node, -1);
  }

  clone(): InterPodAffinityFilter {
    const { existing, affinity, anti } = this.#state;
    return new InterPodAffinityFilter({
      ...this.#state,
      existing: existing.clone(),
      affinity: affinity.clone(),
      anti: anti.clone(),
    });
  }

  #hasAffinity(labels: Labels): boolean {
    const { required, affinity, pod } = this.#state;
    if (!required.every(({ topologyKey }) => Object.hasOwn(labels, topologyKey))) return false;
    if (required.every(({ topologyKey }) => affinity.count(topologyKey, labels) > 0)) return true;
    // The first pod of a group with affinity to itself may run anywhere, because there is no pod to join yet.
    return affinity.isEmpty && matchesAllTerms(required, pod);
  }

  #change(other: PodInfo, node: NodeInfo, by: 1 | -1): void {
    const { pod, required, requiredAnti, namespaceLabels, existing, affinity, anti } = this.#state;
    for (const term of other.terms.requiredAnti) {
      if (termMatches(term, pod, namespaceLabels)) existing.add(term.topologyKey, node.labels, by);
    }
    if (matchesAllTerms(required, other)) {
      for (const { topologyKey } of required) affinity.add(topologyKey, node.labels, by);
    }
    for (const term of requiredAnti) {
      if (termMatches(term, other, undefined)) anti.add(term.topologyKey, node.labels, by);
    }
  }
}

/** Counts of pods by topology key and value. */
class TopologyCounts {
  readonly #counts = new Map<string, Map<string, number>>();

  get isEmpty(): boolean {
    return this.#counts.size === 0;
  }

  add(key: string, labels: Labels, by: number): void {
    if (!Object.hasOwn(labels, key)) return;
    const values = this.#counts.get(key) ?? new Map<string, number>();
    this.#counts.set(key, values);
    const value = labels[key] ?? '';
    const count = (values.get(value) ?? 0) + by;
    if (count === 0) values.delete(value);
    else values.set(value, count);
    if (values.size === 0) this.#counts.delete(key);
  }

  addNodes(view: ClusterView, { topologyKey }: AffinityTerm, byNode: ReadonlyMap<string, number>): void {
    for (const [name, count] of byNode) {
      const node = view.cache.node(name);
      if (node) this.add(topologyKey, node.labels, count);
    }
  }

  count(key: string, labels: Labels): number {
    return Object.hasOwn(labels, key) ? (this.#counts.get(key)?.get(labels[key] ?? '') ?? 0) : 0;
  }

  /** True if a node with these labels is in a domain with a count above zero. */
  touches(labels: Labels): boolean {
    for (const key of this.#counts.keys()) if (this.count(key, labels) > 0) return true;
    return false;
  }

  clone(): TopologyCounts {
    const copy = new TopologyCounts();
    for (const [key, values] of this.#counts) copy.#counts.set(key, new Map(values));
    return copy;
  }
}
