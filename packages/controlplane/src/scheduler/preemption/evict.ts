import { isNotFound, objectKey, type Stored } from '@kubewright/apimachinery';
import { Pod } from '@kubewright/apimachinery/core/v1';
import type { RequestContext } from '@kubewright/runtime';
import { clusterLogEvents } from '../../log/cluster-log-events.ts';
import type { PendingPod, PodInfo } from '../cluster/pod-info.ts';
import type { SchedulerCache } from '../cluster/scheduler-cache.ts';
import type { ClusterObjects } from '../framework/cluster-view.ts';
import { patchPodStatus } from '../pod-status.ts';
import type { Victims } from './victims.ts';

/** Options for {@link Evictions}. */
export interface EvictionsOptions {
  readonly cache: SchedulerCache;
  readonly objects: ClusterObjects;
  /** Moves a pod that waits for its volumes back to the queue. Returns false if the pod is not waiting. */
  readonly cancelWait: (uid: string, why: string) => boolean;
}

/** Evicts the victims of preempting pods. A preempting pod is not retried while its victims are being deleted. */
export class Evictions {
  readonly #options: EvictionsOptions;
  /** By the preempting pod's uid: the uid of the last victim, or undefined while earlier victims are being deleted. */
  readonly #running = new Map<string, string | undefined>();

  constructor(options: EvictionsOptions) {
    this.#options = options;
  }

  /** True while victims of the pod still have to be deleted. */
  isRunning({ uid }: PodInfo): boolean {
    if (!this.#running.has(uid)) return false;
    const last = this.#running.get(uid);
    if (last === undefined) return true;
    const victim = this.#options.cache.pod(last);
    return victim !== undefined && !victim.isTerminating;
  }

  /** Marks a pod as waiting for its victims. Call it before the pod returns to the queue. */
  begin(pod: PendingPod, { pods }: Victims): void {
    if (pods.some(({ isTerminating }) => !isTerminating)) this.#running.set(pod.uid, undefined);
  }

  /** Deletes the victims, the last one after all others. Returns false if a deletion failed. */
  async evict(pod: PendingPod, victims: Victims, ctx: RequestContext): Promise<boolean> {
    const pods = victims.pods.filter(({ isTerminating }) => !isTerminating);
    const last = pods.at(-1);
    if (!last) return true;
    const options = { pod, nodeName: victims.node.name, ctx };
    try {
      await Promise.all(pods.slice(0, -1).map((victim) => this.#evict(victim, options)));
      this.#running.set(pod.uid, last.uid);
      await this.#evict(last, options);
      return true;
    } catch (error) {
      ctx.log.error('cannot evict a pod', {
        event: clusterLogEvents.podEvictionFailed,
        error,
        pod: objectKey(pod.pod),
      });
      return false;
    } finally {
      this.#running.delete(pod.uid);
    }
  }

  async #evict(
    victim: PodInfo,
    { pod, nodeName, ctx }: { readonly pod: PendingPod; readonly nodeName: string; readonly ctx: RequestContext },
  ): Promise<void> {
    const current = this.#options.objects.pod(victim);
    if (!current || current.metadata.uid !== victim.uid) return;
    // A victim that is not bound yet makes room by giving up its node. It is not running, so it need not be deleted.
    if (this.#options.cancelWait(victim.uid, 'preempted by DefaultPreemption')) {
      this.#report(current, { pod, nodeName: `${nodeName} (in kube-scheduler memory).`, ctx });
      return;
    }
    try {
      const message = `${pod.pod.spec?.schedulerName}: preempting to accommodate a higher priority pod`;
      const condition = { type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler', message } as const;
      await patchPodStatus(current, { condition }, ctx);
      await ctx.client.resource(Pod).delete(objectKey(current), { signal: ctx.signal });
    } catch (error) {
      if (isNotFound(error)) return;
      throw error;
    }
    this.#report(current, { pod, nodeName, ctx });
  }

  #report(
    victim: Stored<Pod>,
    { pod, nodeName, ctx }: { readonly pod: PendingPod; readonly nodeName: string; readonly ctx: RequestContext },
  ): void {
    const note = `Preempted by pod ${pod.uid} on node ${nodeName}`;
    ctx.events.record({ reason: 'Preempted', action: 'Preempting', note, regarding: victim, related: pod.pod });
  }
}
