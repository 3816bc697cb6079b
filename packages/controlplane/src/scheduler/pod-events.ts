import type { Pod } from '@kubewright/apimachinery/core/v1';
import type { CreateEvent, DeleteEvent, GenericEvent, ObjectView, UpdateEvent } from '@kubewright/runtime';
import { type PendingPod, type PodInfo, pendingPod, podInfo } from './cluster/pod-info.ts';
import type { SchedulerCache } from './cluster/scheduler-cache.ts';
import { isSmaller, type SchedulingQueue, sameLabels } from './queue/scheduling-queue.ts';

/** The `spec.schedulerName` of the pods that this scheduler handles. */
export const schedulerName = 'default-scheduler';

type PodObjectEvent = CreateEvent<Pod> | UpdateEvent<Pod> | DeleteEvent<Pod> | GenericEvent<Pod>;

/** Applies pod events to the cache and the queue. */
export class PodEvents {
  readonly #cache: SchedulerCache;
  readonly #queue: SchedulingQueue;
  /** The pods that wait for a node or are being bound, by uid. */
  readonly #pending = new Map<string, PendingPod>();

  constructor({ cache, queue }: { readonly cache: SchedulerCache; readonly queue: SchedulingQueue }) {
    this.#cache = cache;
    this.#queue = queue;
  }

  handle(event: PodObjectEvent): void {
    if (event.type === 'create' || event.type === 'update') this.#observed(event.object);
  }

  #observed(view: ObjectView<Pod>): void {
    const placed = this.#cache.isAssumed(view.uid) ? undefined : this.#cache.pod(view.uid);
    if (placed) {
      if (!isUnchanged(placed, view)) this.#changed(placed, podInfo(view.object));
      return;
    }
    const { object } = view;
    if (object.spec?.nodeName) this.#placed(podInfo(object));
    else if ((object.spec?.schedulerName ?? schedulerName) === schedulerName) this.#waits(pendingPod(object));
  }

  /** Called after this or another scheduler has bound a pod. */
  #placed(pod: PodInfo): void {
    this.#cache.putPod(pod);
    this.#pending.delete(pod.uid);
    this.#queue.delete(pod.uid);
    this.#queue.move({ resource: 'Pod', action: 'Add', now: pod });
  }

  #changed(old: PodInfo, now: PodInfo): void {
    this.#cache.putPod(now);
    if (!sameLabels(old.labels, now.labels)) this.#queue.move({ resource: 'Pod', action: 'UpdateLabel', old, now });
    if (isSmaller(old, now)) this.#queue.move({ resource: 'Pod', action: 'UpdateScaleDown', old, now });
  }

  #waits(now: PendingPod): void {
    const old = this.#pending.get(now.uid);
    this.#pending.set(now.uid, now);
    if (this.#cache.isAssumed(now.uid)) {
      if (now.isTerminating && !old?.isTerminating) this.#forget(now);
      return;
    }
    this.#queue.put(now);
    if (old && old.nominatedNodeName !== '' && old.nominatedNodeName !== now.nominatedNodeName) this.#freed(old);
  }

  /** Removes a pod that was deleted or has ended from the queue and from its node. */
  deleted({ uid }: { readonly uid: string }): void {
    const waiting = this.#pending.get(uid);
    this.#pending.delete(uid);
    this.#queue.delete(uid);
    if (this.#cache.isAssumed(uid)) {
      if (waiting) this.#forget(waiting);
      return;
    }
    const old = this.#cache.removePod(uid);
    if (old) this.#queue.move({ resource: 'Pod', action: 'Delete', old });
    else if (waiting && waiting.nominatedNodeName !== '') this.#freed(waiting);
  }

  /** Removes a pod that is deleted while it is being bound. */
  #forget({ uid }: PendingPod): void {
    const old = this.#cache.pod(uid);
    this.#cache.forget(uid);
    if (old) this.#queue.move({ resource: 'Pod', action: 'Delete', old });
  }

  /**
   * Notifies the queue that the resources reserved for a nominated pod are available again to pods of the same or lower
   * priority.
   */
  #freed(old: PendingPod): void {
    this.#queue.move({ resource: 'Pod', action: 'Delete', old }, ({ priority }) => priority <= old.priority);
  }
}

/** True if an update of a pod on a node does not affect other pods. Most updates only change the status. */
function isUnchanged(known: PodInfo, { generation, labels, deletionTimestamp }: ObjectView<Pod>): boolean {
  // A generation above 1 may mean a resize, whose progress shows only in the status.
  if (generation !== known.generation || generation > 1) return false;
  return known.isTerminating === (deletionTimestamp !== undefined) && sameLabels(known.labels, labels);
}
