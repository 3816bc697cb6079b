import { isNotFound, objectKey } from '@kubewright/apimachinery';
import { Pod } from '@kubewright/apimachinery/core/v1';
import type { RequestContext } from '@kubewright/runtime';
import { clusterLogEvents } from '../log/cluster-log-events.ts';
import type { CachedObjects } from './cached-objects.ts';
import { type PendingPod, pendingPod, placedOn } from './cluster/pod-info.ts';
import type { SchedulerCache } from './cluster/scheduler-cache.ts';
import type { ClusterView } from './framework/cluster-view.ts';
import { explain, rejectors } from './framework/fit-error.ts';
import type { Plugin } from './framework/plugin.ts';
import { preempt } from './plugins/default-preemption.ts';
import { VolumeFilter } from './plugins/volume-binding.ts';
import { patchPodStatus } from './pod-status.ts';
import type { Evictions } from './preemption/evict.ts';
import type { QueuedPod } from './queue/queued-pod.ts';
import type { SchedulingQueue } from './queue/scheduling-queue.ts';
import { schedulePod } from './schedule-pod.ts';
import { SchedulingError } from './scheduling-error.ts';
import { truncateNote } from './truncate-note.ts';
import type { VolumeBinder, VolumeReservation } from './volumes/volume-binder.ts';
import type { VolumeWaits } from './volumes/volume-waits.ts';

/** The reason why an attempt failed. */
interface Failure {
  readonly reason: 'Unschedulable' | 'SchedulerError';
  readonly message: string;
  readonly rejectors: ReadonlySet<string>;
  /** The new nominated node; an empty string clears it. @defaultValue unchanged */
  readonly nominatedNodeName?: string | undefined;
}

/** The parts of the scheduler that an attempt works with. */
export interface AttemptParts {
  readonly cache: SchedulerCache;
  readonly objects: CachedObjects;
  readonly view: ClusterView;
  readonly queue: SchedulingQueue;
  readonly evictions: Evictions;
  readonly binder: VolumeBinder;
  readonly waits: VolumeWaits;
  readonly plugins: readonly Plugin[];
  /** The index of the node that the next search examines first. */
  readonly start: { index: number };
}

/** Tries to schedule pods. Each decision is made synchronously; binding and reporting are asynchronous. */
export class SchedulingAttempts {
  readonly #parts: AttemptParts;

  constructor(parts: AttemptParts) {
    this.#parts = parts;
  }

  /** Decides where a pod runs and binds it, or reports why it cannot run. */
  async attempt(queued: QueuedPod, ctx: RequestContext): Promise<void> {
    const { cache, queue, view, plugins, start } = this.#parts;
    const { pod } = queued;
    if (pod.isTerminating) {
      const note = `skip schedule deleting pod: ${pod.namespace}/${pod.name}`;
      const event = { type: 'Warning', reason: 'FailedScheduling', action: 'Scheduling', note } as const;
      ctx.events.record({ ...event, regarding: pod.pod });
      return;
    }
    if (cache.isAssumed(pod.uid)) return;
    if (cache.nodes.length === 0) {
      const message = 'no nodes available to schedule pods';
      await this.#fail(queued, { reason: 'Unschedulable', message, rejectors: new Set(), nominatedNodeName: '' }, ctx);
      return;
    }
    let reservation: VolumeReservation | undefined;
    let nodeName: string;
    try {
      const nominated = (name: string): Iterable<PendingPod> => queue.nominator.on(name);
      const choice = schedulePod(pod, { plugins, view, nominated, random: ctx.random, start });
      if ('diagnosis' in choice) {
        await this.#preempt(queued, choice, ctx);
        return;
      }
      nodeName = choice.node.name;
      cache.assume(placedOn(pod, nodeName));
      queue.nominator.delete(pod.uid);
      const volumes = choice.filters.of('VolumeBinding');
      const chosen = volumes instanceof VolumeFilter ? volumes.volumesOn(nodeName) : undefined;
      const pending = chosen && chosen.bindings.length + chosen.provisions.length > 0;
      if (pending) reservation = this.#parts.binder.reserve(nodeName, chosen);
    } catch (error) {
      await this.#fail(queued, schedulerError(error), ctx);
      return;
    }
    if (reservation) await this.#bindVolumes(queued, reservation, ctx);
    else await this.#bind(queued, nodeName, ctx);
  }

  async #preempt(
    queued: QueuedPod,
    choice: Extract<ReturnType<typeof schedulePod>, { readonly diagnosis: unknown }>,
    ctx: RequestContext,
  ): Promise<void> {
    const { view, queue, evictions } = this.#parts;
    const { diagnosis, filters } = choice;
    const { pod } = queued;
    const result = preempt(pod, { diagnosis, filters, view, random: ctx.random, nowMs: ctx.clock.now() });
    const failure = { reason: 'Unschedulable', rejectors: rejectors(diagnosis) } as const;
    if ('message' in result) {
      const nominatedNodeName = result.clearsNomination ? '' : undefined;
      await this.#fail(queued, { ...failure, message: explain(diagnosis, result.message), nominatedNodeName }, ctx);
      return;
    }
    const { victims } = result;
    const nodeName = victims.node.name;
    evictions.begin(pod, victims);
    const yielding = [...queue.nominator.on(nodeName)].filter(({ priority }) => priority < pod.priority);
    const failed = this.#fail(queued, { ...failure, message: explain(diagnosis), nominatedNodeName: nodeName }, ctx);
    for (const other of yielding) await this.#withdraw(other, ctx);
    const evicted = await evictions.evict(pod, victims, ctx);
    await failed;
    if (!evicted) queue.activate(pod.uid);
  }

  /** Clears the nomination of a pod whose node is now nominated for a pod of higher priority. */
  async #withdraw(pod: PendingPod, ctx: RequestContext): Promise<void> {
    try {
      await patchPodStatus(pod.pod, { nominatedNodeName: '' }, ctx);
    } catch (error) {
      if (!isNotFound(error))
        ctx.log.error('cannot clear the nominated node of a pod', {
          event: clusterLogEvents.podNominationFailed,
          error,
          pod: objectKey(pod.pod),
        });
    }
  }

  async #bindVolumes(queued: QueuedPod, reservation: VolumeReservation, ctx: RequestContext): Promise<void> {
    const { binder, waits } = this.#parts;
    const { pod } = queued;
    try {
      const nominatedNodeName = reservation.nodeName;
      await patchPodStatus(pod.pod, { nominatedNodeName }, ctx);
      await binder.write(reservation, ctx);
    } catch (error) {
      binder.release(reservation);
      await this.#unbound(queued, preBindError(error), ctx);
      return;
    }
    waits.add(pod, reservation, async (outcome, later) => {
      if (outcome === 'bound') await this.#bind(queued, reservation.nodeName, later);
      else await this.#unbound(queued, preBindError(outcome), later);
    });
  }

  async #bind(queued: QueuedPod, nodeName: string, ctx: RequestContext): Promise<void> {
    const { pod } = queued;
    // Dates the event before the binding, because the node may report an image pull before the response arrives.
    const atMs = ctx.clock.now() - 1;
    const binding = {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name: pod.name, namespace: pod.namespace, uid: pod.uid },
      target: { kind: 'Node', name: nodeName },
    };
    try {
      await ctx.client.resource(Pod).subresource('binding').create(objectKey(pod.pod), binding, { signal: ctx.signal });
    } catch (error) {
      const cause = error instanceof Error ? error.message : String(error);
      await this.#unbound(queued, new SchedulingError({ what: `running Bind plugin "DefaultBinder": ${cause}` }), ctx);
      return;
    }
    const note = `Successfully assigned ${pod.namespace}/${pod.name} to ${nodeName}`;
    ctx.events.record({ reason: 'Scheduled', action: 'Binding', note, regarding: pod.pod, atMs });
  }

  /** Reverts an assignment that could not be bound, and reports the failure. */
  async #unbound(queued: QueuedPod, error: unknown, ctx: RequestContext): Promise<void> {
    const { cache, queue } = this.#parts;
    const old = cache.pod(queued.pod.uid);
    cache.forget(queued.pod.uid);
    if (old) queue.move({ resource: 'Pod', action: 'Delete', old });
    if (ctx.signal.aborted) return;
    await this.#fail(queued, schedulerError(error), ctx);
  }

  /** Puts the pod back into the queue and reports the failure. */
  async #fail(queued: QueuedPod, failure: Failure, ctx: RequestContext): Promise<void> {
    const { objects, queue } = this.#parts;
    const { reason, message, nominatedNodeName } = failure;
    const version = objects.podVersion(queued.pod);
    if (version?.uid !== queued.pod.uid) return;
    const isSame = version.resourceVersion === queued.pod.pod.metadata.resourceVersion;
    const stored = isSame ? queued.pod.pod : objects.pod(queued.pod);
    if (!stored || stored.spec?.nodeName) return;
    const pod = isSame ? queued.pod : pendingPod(stored);
    queue.retry(queued, { pod, rejectors: failure.rejectors });
    queue.nominator.nominate(pod, nominatedNodeName ?? pod.nominatedNodeName);
    const event = {
      type: 'Warning',
      reason: 'FailedScheduling',
      action: 'Scheduling',
      note: truncateNote(message),
    } as const;
    ctx.events.record({ ...event, regarding: stored });
    try {
      const condition = { type: 'PodScheduled', status: 'False', reason, message } as const;
      await patchPodStatus(stored, { condition, nominatedNodeName }, ctx);
    } catch (error) {
      if (!isNotFound(error) && !ctx.signal.aborted)
        ctx.log.error('cannot update the status of a pod', {
          event: clusterLogEvents.podStatusFailed,
          error,
          pod: objectKey(stored),
        });
    }
  }
}

function schedulerError(error: unknown): Failure {
  const message = error instanceof Error ? error.message : String(error);
  return { reason: 'SchedulerError', message, rejectors: new Set(), nominatedNodeName: '' };
}

function preBindError(error: unknown): SchedulingError {
  const cause = error instanceof Error ? error.message : String(error);
  return new SchedulingError({ what: `running PreBind plugin "VolumeBinding": ${cause}` });
}
