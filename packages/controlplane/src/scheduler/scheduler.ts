import type { Clock, Kind, KubernetesObject } from '@kubewright/apimachinery';
import { ReplicaSet, StatefulSet } from '@kubewright/apimachinery/apps/v1';
import {
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  ReplicationController,
  Service,
} from '@kubewright/apimachinery/core/v1';
import { PodDisruptionBudget } from '@kubewright/apimachinery/policy/v1';
import {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  StorageClass,
  VolumeAttachment,
} from '@kubewright/apimachinery/storage/v1';
import {
  type CachedKind,
  type ControllerDefinition,
  cached,
  handlerFuncs,
  type IndexFunc,
  type ObjectView,
  type RequestContext,
  requestController,
  type Source,
  type Watch,
  watch,
} from '@kubewright/runtime';
import { CachedObjects } from './cached-objects.ts';
import { SchedulerCache } from './cluster/scheduler-cache.ts';
import type { ClusterEvent } from './framework/cluster-event.ts';
import { NodeEvents } from './node-events.ts';
import { defaultPreemption } from './plugins/default-preemption.ts';
import { defaultPlugins } from './plugins/index.ts';
import { schedulingGates } from './plugins/scheduling-gates.ts';
import { PodEvents, schedulerName } from './pod-events.ts';
import { isPodEnded } from './pod-status.ts';
import { Evictions } from './preemption/evict.ts';
import { EventHints } from './queue/event-hints.ts';
import { SchedulingQueue } from './queue/scheduling-queue.ts';
import { SchedulingAttempts } from './scheduling-attempt.ts';
import { storageClassOf } from './volumes/storage-class-of.ts';
import { VolumeBinder } from './volumes/volume-binder.ts';
import { VolumeWaits } from './volumes/volume-waits.ts';
import { type Work, Workers, workerCount } from './workers.ts';

/** Options for {@link schedulerController}. */
export interface SchedulerOptions {
  /** The clock for backoffs. */
  readonly clock: Clock;
}

/**
 * Assigns pods to nodes as kube-scheduler 1.36 does with its default profile: same plugins, queue, preemption and messages. Makes
 * one decision at a time from an in-memory view of the cluster, and writes bindings in the background.
 */
export function schedulerController(options: SchedulerOptions): ControllerDefinition {
  const scheduler = new Scheduler(options);
  return requestController({
    name: schedulerName,
    maxConcurrentReconciles: workerCount,
    watches: scheduler.watches(),
    caches: readKinds,
    sources: [scheduler.source],
    reconcile: (request, ctx) => scheduler.work(request.name, ctx),
  });
}

/** Kinds that the scheduler looks up but does not react to. */
const readKinds = [
  cached(Namespace),
  cached(PodDisruptionBudget),
  cached(ReplicaSet),
  cached(StatefulSet),
  cached(ReplicationController),
];

// Constants rather than new functions for each scheduler, so that a restarted scheduler can share its informers again.
const byStorageClass: IndexFunc<PersistentVolume> = ({ object }) => [storageClassOf(object)];
const byNodeName: IndexFunc<VolumeAttachment> = ({ object }) => [object.spec.nodeName];

class Scheduler {
  readonly #cache = new SchedulerCache();
  readonly #objects = new CachedObjects();
  readonly #queue: SchedulingQueue;
  readonly #workers: Workers;
  readonly #waits: VolumeWaits;
  readonly #attempts: SchedulingAttempts;
  readonly #pods: PodEvents;
  readonly #nodes: NodeEvents;

  /** Starts the workers once all caches are synced. */
  readonly source: Source = {
    name: 'scheduling queue',
    start: async (context, { signal }) => {
      this.#workers.start(context);
      signal.addEventListener('abort', () => this.#stop(), { once: true });
    },
  };

  constructor({ clock }: SchedulerOptions) {
    const cache = this.#cache;
    const objects = this.#objects;
    const view = { cache, objects };
    const cancelWait = (uid: string, why: string): boolean => this.#waits.cancel(uid, why);
    const evictions = new Evictions({ cache, objects, cancelWait });
    this.#queue = new SchedulingQueue({
      clock,
      view,
      hints: new EventHints([...defaultPlugins, defaultPreemption]),
      gates: [schedulingGates, { name: defaultPreemption.name, holds: (pod) => evictions.isRunning(pod) }],
      onReady: () => this.#workers.wake(),
    });
    const queue = this.#queue;
    this.#workers = new Workers({ next: () => this.#next(), hasMore: () => queue.ready > 0 });
    this.#waits = new VolumeWaits({ clock, cache, objects, run: (work) => this.#workers.add(work) });
    const binder = new VolumeBinder({ volumes: objects.assumedVolumes, claims: objects.assumedClaims });
    const parts = { cache, objects, view, queue, evictions, binder, waits: this.#waits, plugins: defaultPlugins };
    this.#attempts = new SchedulingAttempts({ ...parts, start: { index: 0 } });
    this.#pods = new PodEvents({ cache, queue });
    this.#nodes = new NodeEvents({ cache, queue });
  }

  /** Runs one unit of work. */
  async work(worker: string, ctx: RequestContext): Promise<void> {
    this.#objects.use(ctx.cache);
    await this.#workers.run(worker, ctx);
  }

  watches(): readonly Watch[] {
    const services = handlerFuncs<Service>({
      create: ({ object }) => this.#objects.services.put(object),
      update: ({ object }) => this.#objects.services.put(object),
      delete: ({ object }) => this.#objects.services.delete(object),
    });
    return [
      watch(Pod, (event) => this.#handlePod(event)),
      watch(Node, (event) => {
        this.#nodes.handle(event);
        if (event.type === 'delete') this.#waits.changed();
      }),
      watch(Service, services),
      this.#watch(PersistentVolume, { indexes: { storageClass: byStorageClass } }),
      this.#watch(PersistentVolumeClaim),
      this.#watch(StorageClass),
      this.#watch(CSINode),
      this.#watch(CSIDriver),
      this.#watch(CSIStorageCapacity),
      this.#watch(VolumeAttachment, { indexes: { nodeName: byNodeName } }),
    ];
  }

  #handlePod(event: Parameters<PodEvents['handle']>[0]): void {
    if (event.type !== 'delete' && !isPodEnded(event.object.object)) {
      this.#pods.handle(event);
      return;
    }
    // As in kube-scheduler, a pod that has ended frees its resources as if it were deleted.
    this.#pods.deleted(event.object);
    this.#waits.cancel(event.object.uid, 'pod was deleted');
  }

  /** Watches a kind whose changes may help waiting pods. */
  #watch<T extends KubernetesObject>(kind: Kind<T>, options: Pick<CachedKind<T>, 'indexes'> = {}): Watch {
    const resource = kind.kind as ClusterEvent['resource'];
    const moved = (
      action: 'Add' | 'Update' | 'Delete',
      { old, now }: { old?: ObjectView<T>; now?: ObjectView<T> },
    ): void => {
      this.#waits.changed();
      if (!this.#queue.hasWaiting) return;
      // The kind determines the type of the objects.
      this.#queue.move({ resource, action, old: old?.object, now: now?.object } as unknown as ClusterEvent);
    };
    const handler = handlerFuncs<T>({
      create: ({ object }) => moved('Add', { now: object }),
      update: ({ old, object }) => moved('Update', { old, now: object }),
      delete: ({ object }) => moved('Delete', { old: object }),
    });
    return watch(kind, handler, options);
  }

  #next(): Work | undefined {
    const queued = this.#queue.pop();
    return queued && ((ctx) => this.#attempts.attempt(queued, ctx));
  }

  #stop(): void {
    this.#queue[Symbol.dispose]();
    this.#waits[Symbol.dispose]();
  }
}
