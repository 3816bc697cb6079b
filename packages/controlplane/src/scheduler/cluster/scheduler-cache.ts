import type { Stored } from '@kubewright/apimachinery';
import type { Node } from '@kubewright/apimachinery/core/v1';
import { ImageIndex } from './image-index.ts';
import { NodeInfo } from './node-info.ts';
import { NodeTree } from './node-tree.ts';
import { PodCounts } from './pod-counts.ts';
import { claimNameOf, type PodInfo } from './pod-info.ts';
import { TermIndex } from './term-index.ts';

const maxCountedGroups = 256;

/**
 * Nodes and the pods on them, kept up to date by events. Once a node is chosen for a pod, the pod is assumed to run
 * there until its binding is observed, so that its resources count as used when the next pod is scheduled.
 */
export class SchedulerCache {
  readonly counts: PodCounts = new PodCounts({ maxGroups: maxCountedGroups });
  readonly terms: TermIndex = new TermIndex();
  readonly #nodes = new Map<string, NodeInfo>();
  readonly #pods = new Map<string, PodInfo>();
  readonly #assumed = new Set<string>();
  readonly #tree = new NodeTree();
  readonly #images = new ImageIndex();
  /** The number of pods on nodes that use a claim, by `namespace/name` of the claim. */
  readonly #claims = new Map<string, number>();
  #order: readonly NodeInfo[] | undefined = [];

  /** All existing nodes, alternating between zones. */
  get nodes(): readonly NodeInfo[] {
    this.#order ??= this.#tree.order().flatMap((name) => this.#nodes.get(name) ?? []);
    return this.#order;
  }

  /** Returns a node, or undefined if it does not exist. */
  node(name: string): NodeInfo | undefined {
    const info = this.#nodes.get(name);
    return info?.node ? info : undefined;
  }

  putNode(node: Stored<Node>): void {
    const { name } = node.metadata;
    const info = this.#info(name);
    info.images = this.#images.replace(name, { old: info.node, now: node });
    info.setNode(node);
    if (this.#tree.put(name, info.labels)) this.#order = undefined;
  }

  /** Removes a node. Its pods stay in the cache until they are deleted. */
  removeNode(name: string): void {
    const info = this.#nodes.get(name);
    if (!info) return;
    info.images = this.#images.replace(name, { old: info.node, now: undefined });
    info.node = undefined;
    if (info.pods.size === 0) this.#nodes.delete(name);
    if (this.#tree.remove(name)) this.#order = undefined;
  }

  /** Returns a pod that is assigned to a node, or assumed to be. */
  pod(uid: string): PodInfo | undefined {
    return this.#pods.get(uid);
  }

  isAssumed(uid: string): boolean {
    return this.#assumed.has(uid);
  }

  /** Places a pod on its node before the binding is confirmed. */
  assume(pod: PodInfo): void {
    this.#put(pod);
    this.#assumed.add(pod.uid);
  }

  /** Undoes {@link SchedulerCache.assume} after a binding failed. */
  forget(uid: string): void {
    if (this.#assumed.has(uid)) this.removePod(uid);
  }

  /** Adds a bound pod to its node, or updates it to its new version. */
  putPod(pod: PodInfo): void {
    this.#assumed.delete(pod.uid);
    this.#put(pod);
  }

  /** Removes a pod from its node and returns it. */
  removePod(uid: string): PodInfo | undefined {
    const pod = this.#pods.get(uid);
    if (!pod) return undefined;
    this.#pods.delete(uid);
    this.#assumed.delete(uid);
    const info = this.#nodes.get(pod.nodeName);
    info?.removePod(uid);
    if (info && !info.node && info.pods.size === 0) this.#nodes.delete(info.name);
    this.counts.remove(pod);
    this.terms.remove(pod);
    this.#countClaims(pod, -1);
    return pod;
  }

  /** Returns the number of pods on nodes that use a claim. */
  claimUses(namespace: string, name: string): number {
    return this.#claims.get(`${namespace}/${name}`) ?? 0;
  }

  #put(pod: PodInfo): void {
    this.removePod(pod.uid);
    this.#pods.set(pod.uid, pod);
    this.#info(pod.nodeName).addPod(pod);
    this.counts.add(pod);
    this.terms.add(pod);
    this.#countClaims(pod, 1);
  }

  #info(name: string): NodeInfo {
    const info = this.#nodes.get(name) ?? new NodeInfo(name);
    this.#nodes.set(name, info);
    return info;
  }

  #countClaims(pod: PodInfo, by: 1 | -1): void {
    for (const volume of pod.volumes) {
      const name = volume.persistentVolumeClaim && claimNameOf(pod, volume);
      if (name === undefined) continue;
      const key = `${pod.namespace}/${name}`;
      const uses = (this.#claims.get(key) ?? 0) + by;
      if (uses > 0) this.#claims.set(key, uses);
      else this.#claims.delete(key);
    }
  }
}
