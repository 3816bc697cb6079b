import type { NodeInfo } from '../cluster/node-info.ts';
import type { PendingPod, PodInfo } from '../cluster/pod-info.ts';
import type { ClusterView } from './cluster-view.ts';
import { isRejection, type NodeFilter, type Plugin } from './plugin.ts';
import { type Rejection, unresolvable } from './rejection.ts';

/** Returns the pods that are nominated for a node. */
export type NominatedPods = (nodeName: string) => Iterable<PendingPod>;

/** The filters that the plugins prepared for one pod. */
export class PodFilters {
  readonly pod: PendingPod;
  readonly #filters: ReadonlyMap<string, NodeFilter>;
  readonly #nominated: NominatedPods;

  private constructor(pod: PendingPod, filters: ReadonlyMap<string, NodeFilter>, nominated: NominatedPods) {
    this.pod = pod;
    this.#filters = filters;
    this.#nominated = nominated;
  }

  /** Prepares the filters, or returns the rejection of a plugin that rejects the pod on every node. */
  static prepare(
    pod: PendingPod,
    options: { readonly plugins: readonly Plugin[]; readonly view: ClusterView; readonly nominated: NominatedPods },
  ): PodFilters | Rejection {
    const { plugins, view, nominated } = options;
    const filters = new Map<string, NodeFilter>();
    for (const { name, preFilter } of plugins) {
      const result = preFilter?.(pod, view);
      if (result === undefined) continue;
      if (isRejection(result)) return result;
      filters.set(name, result);
    }
    return new PodFilters(pod, filters, nominated);
  }

  /** The nodes that the search is limited to, and the rejection of all other nodes; undefined if there is no limit. */
  get limit(): { readonly nodeNames: ReadonlySet<string>; readonly others: Rejection } | undefined {
    for (const [plugin, { nodeNames }] of this.#filters) {
      if (nodeNames) return { nodeNames, others: unresolvable('', `node(s) didn't satisfy plugin(s) [${plugin}]`) };
    }
    return undefined;
  }

  /** Returns the filter of a plugin; undefined if the plugin passes every node. */
  of(plugin: string): NodeFilter | undefined {
    return this.#filters.get(plugin);
  }

  /**
   * Returns a rejection if the pod cannot run on a node; otherwise undefined. The pod must fit both with and without
   * the pods of the same or a higher priority that are nominated for the node.
   */
  check(node: NodeInfo): Rejection | undefined {
    let added: { readonly filters: PodFilters; readonly node: NodeInfo } | undefined;
    for (const other of this.#nominated(node.name)) {
      if (other.priority < this.pod.priority || other.uid === this.pod.uid) continue;
      added ??= { filters: this.clone(), node: node.clone() };
      added.filters.addPod(other, added.node);
    }
    const rejection = added === undefined ? undefined : added.filters.#check(added.node);
    return rejection ?? this.#check(node);
  }

  #check(node: NodeInfo): Rejection | undefined {
    for (const filter of this.#filters.values()) {
      const rejection = filter.filter(node);
      if (rejection) return rejection;
    }
    return undefined;
  }

  /** Adds a pod to a copy of a node, and updates the filters. */
  addPod(pod: PodInfo, node: NodeInfo): void {
    node.addPod(pod);
    for (const filter of this.#filters.values()) filter.addPod?.(pod, node);
  }

  /** Removes a pod from a copy of a node, and updates the filters. */
  removePod(pod: PodInfo, node: NodeInfo): void {
    node.removePod(pod.uid);
    for (const filter of this.#filters.values()) filter.removePod?.(pod, node);
  }

  /** Returns a copy, so that callers can try adding or removing pods. */
  clone(): PodFilters {
    const filters = new Map<string, NodeFilter>();
    for (const [name, filter] of this.#filters) filters.set(name, filter.clone?.() ?? filter);
    return new PodFilters(this.pod, filters, this.#nominated);
  }
}
