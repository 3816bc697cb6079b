import { isNotFound } from '@kubewright/apimachinery';
import { Pod } from '@kubewright/apimachinery/core/v1';
import type { ReconcileRequest, ReconcileResult, RequestContext } from '@kubewright/runtime';
import type { MirrorPods } from './mirror-pods.ts';
import type { PodWorkers } from './pod-workers.ts';
import { writeStatus } from './write-status.ts';

/** Runs a node's pods with their workers and reports their status; maintains the mirror pods. */
export class PodReconciler {
  readonly #workers: PodWorkers;
  readonly #mirrors: MirrorPods;

  constructor(workers: PodWorkers, mirrors: MirrorPods) {
    this.#workers = workers;
    this.#mirrors = mirrors;
  }

  /** Syncs the pod with this key, and ends earlier pods of the same name. */
  async reconcile(request: ReconcileRequest, ctx: RequestContext): Promise<ReconcileResult | undefined> {
    const pod = ctx.cache.lister(Pod).get(request);
    await this.#workers.endOthers(request, pod?.metadata.uid);
    if (this.#mirrors.include(request, pod)) return this.#mirrors.reconcile(request, ctx);
    return pod && this.#sync(pod, ctx);
  }

  async #sync(pod: Pod, ctx: RequestContext): Promise<ReconcileResult | undefined> {
    const { client, clock, signal } = ctx;
    const { worker, result } = await this.#workers.sync(pod);
    const { status, removable, wakeAtMs } = result;
    try {
      if (status) await writeStatus(worker, status, { pod, client, signal });
      if (removable) {
        const restMs = this.#workers.untilRemovalMs(pod);
        if (restMs > 0) return { requeueAfterMs: restMs };
        await this.#workers.remove(worker);
        await ctx.delete(pod, { gracePeriodSeconds: 0 });
        return undefined;
      }
    } catch (error) {
      // The pod was force-deleted; the event has not reached the cache yet.
      if (!isNotFound(error)) throw error;
    }
    return Number.isFinite(wakeAtMs) ? { requeueAfterMs: Math.max(wakeAtMs - clock.now(), 1) } : undefined;
  }
}
