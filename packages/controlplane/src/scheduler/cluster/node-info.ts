import type { Stored } from '@kubewright/apimachinery';
import type { Node, Taint } from '@kubewright/apimachinery/core/v1';
import type { Labels } from './affinity-term.ts';
import type { HostPort } from './host-ports.ts';
import type { ImageState } from './image-index.ts';
import type { PodInfo } from './pod-info.ts';
import { amounts, Resources } from './resources.ts';

const noTaints: readonly Taint[] = [];
const noLabels: Labels = {};
const noImages: ReadonlyMap<string, ImageState> = new Map();

/** A node, its pods and the totals that plugins need, updated as pods are added and removed. */
export class NodeInfo {
  readonly name: string;
  /** Undefined if the node does not exist but pods are still assigned to it. */
  node: Stored<Node> | undefined;
  labels: Labels = noLabels;
  taints: readonly Taint[] = noTaints;
  isUnschedulable = false;
  allocatable: Resources = new Resources();
  images: ReadonlyMap<string, ImageState> = noImages;
  readonly pods: Map<string, PodInfo> = new Map<string, PodInfo>();
  readonly requested: Resources = new Resources();
  nonZeroMilliCpu = 0;
  nonZeroMemory = 0;
  readonly hostPorts: Set<HostPort> = new Set<HostPort>();
  /** Number of pods by priority. */
  readonly #priorities = new Map<number, number>();

  constructor(name: string) {
    this.name = name;
  }

  /** Updates the entry to a new version of the node. */
  setNode(node: Stored<Node>): void {
    this.node = node;
    this.labels = node.metadata.labels ?? noLabels;
    this.taints = node.spec?.taints ?? noTaints;
    this.isUnschedulable = node.spec?.unschedulable === true;
    this.allocatable = Resources.of(amounts(node.status?.allocatable));
  }

  /** The lowest priority of any pod on this node; infinity if it has no pods. */
  get lowestPriority(): number {
    return Math.min(...this.#priorities.keys());
  }

  addPod(pod: PodInfo): void {
    this.pods.set(pod.uid, pod);
    this.#count(pod, 1);
    for (const port of pod.hostPorts) this.hostPorts.add(port);
  }

  /** Removes a pod and returns it; undefined if it is not on this node. */
  removePod(uid: string): PodInfo | undefined {
    const pod = this.pods.get(uid);
    if (!pod) return undefined;
    this.pods.delete(uid);
    this.#count(pod, -1);
    for (const port of pod.hostPorts) this.hostPorts.delete(port);
    return pod;
  }

  /** Returns a copy, so that callers can try adding or removing pods. */
  clone(): NodeInfo {
    const copy = new NodeInfo(this.name);
    const { node, labels, taints, isUnschedulable, allocatable, images } = this;
    Object.assign(copy, { node, labels, taints, isUnschedulable, allocatable, images });
    for (const pod of this.pods.values()) copy.pods.set(pod.uid, pod);
    for (const port of this.hostPorts) copy.hostPorts.add(port);
    for (const [priority, count] of this.#priorities) copy.#priorities.set(priority, count);
    copy.requested.add(this.requested, 1);
    copy.nonZeroMilliCpu = this.nonZeroMilliCpu;
    copy.nonZeroMemory = this.nonZeroMemory;
    return copy;
  }

  #count(pod: PodInfo, times: 1 | -1): void {
    this.requested.add(pod.requests, times);
    this.nonZeroMilliCpu += times * pod.nonZeroMilliCpu;
    this.nonZeroMemory += times * pod.nonZeroMemory;
    const same = (this.#priorities.get(pod.priority) ?? 0) + times;
    if (same === 0) this.#priorities.delete(pod.priority);
    else this.#priorities.set(pod.priority, same);
  }
}
