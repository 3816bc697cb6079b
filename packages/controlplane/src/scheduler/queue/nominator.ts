import type { PendingPod } from '../cluster/pod-info.ts';

/** Remembers which node each preempting pod is nominated for until its victims are deleted. */
export class Nominator {
  readonly #nodeOf = new Map<string, string>();
  readonly #byNode = new Map<string, Map<string, PendingPod>>();

  /** Nominates a pod for a node. An empty name clears its nomination. */
  nominate(pod: PendingPod, nodeName: string): void {
    this.delete(pod.uid);
    if (nodeName === '') return;
    this.#nodeOf.set(pod.uid, nodeName);
    const pods = this.#byNode.get(nodeName) ?? new Map<string, PendingPod>();
    this.#byNode.set(nodeName, pods);
    pods.set(pod.uid, pod);
  }

  /**
   * Updates a pod to its new version. If neither version's status names a nominated node, keeps the nomination; otherwise, takes
   * it from the new status.
   */
  update(old: PendingPod, pod: PendingPod): void {
    const undecided = old.nominatedNodeName === '' && pod.nominatedNodeName === '';
    const kept = undecided ? this.#nodeOf.get(pod.uid) : undefined;
    this.nominate(pod, kept ?? pod.nominatedNodeName);
  }

  delete(uid: string): void {
    const nodeName = this.#nodeOf.get(uid);
    if (nodeName === undefined) return;
    this.#nodeOf.delete(uid);
    const pods = this.#byNode.get(nodeName);
    pods?.delete(uid);
    if (pods?.size === 0) this.#byNode.delete(nodeName);
  }

  /** Returns the pods nominated for a node. */
  on(nodeName: string): Iterable<PendingPod> {
    return this.#byNode.get(nodeName)?.values() ?? [];
  }

  /** True if no pod is nominated for a node. */
  isFree(nodeName: string): boolean {
    return !this.#byNode.has(nodeName);
  }
}
