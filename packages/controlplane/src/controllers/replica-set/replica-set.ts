import { controllerOf, isConflict, isDeleting, isNotFound, objectKey, type Stored } from '@kubewright/apimachinery';
import type { ReplicaSetStatus } from '@kubewright/apimachinery/apps/v1';
import { Pod } from '@kubewright/apimachinery/core/v1';
import {
  controller,
  enqueueForOwner,
  enqueueMapped,
  type ReconcileContext,
  type ReconcileOutcome,
  watch,
} from '@kubewright/runtime';
import type { BuiltInController } from '../built-in-controller.ts';
import { claim } from '../claim.ts';
import { CoreEventRecorder } from '../core-event-recorder.ts';
import { updateStatus } from '../object-writes.ts';
import { byController, OrphanOwners, orphansOf } from '../orphan-owners.ts';
import { isNamespaceTerminating, PodControl, podFromTemplate } from '../pods/pod-control.ts';
import { PodDigests } from '../pods/pod-digests.ts';
import { isPodActive, isPodTerminating, msUntilAvailable } from '../pods/pod-state.ts';
import { slowStart } from '../slow-start.ts';
import { podsToDelete } from './deletion-order.ts';
import {
  type ReplicaOwner,
  type ReplicaOwnerKind,
  replicaSets,
  replicationControllers,
  selectorOf,
} from './replica-owner.ts';
import { isSameStatus, replicaSetStatus } from './replica-set-status.ts';

/** The maximum number of pods that one reconcile creates or deletes. */
const burst = 500;

/** Maintains the desired number of pods of ReplicaSets. */
export function replicaSetController(): BuiltInController {
  return replicaController(replicaSets);
}

/** Maintains the desired number of pods of ReplicationControllers. */
export function replicationController(): BuiltInController {
  return replicaController(replicationControllers);
}

function replicaController<O extends ReplicaOwner>(of: ReplicaOwnerKind<O>): BuiltInController {
  const { account, kind } = of;
  const events = new CoreEventRecorder(account);
  const control = new PodControl(events);
  const orphans = new OrphanOwners();
  const digests = new PodDigests();
  return {
    account,
    definition: controller<O>({
      name: account,
      for: kind,
      maxConcurrentReconciles: 5,
      watches: [
        watch(
          kind,
          orphans.track<O>((owner) => of.selectorOf(owner)),
        ),
        watch(Pod, enqueueForOwner<Pod>(kind), { indexes: { controller: byController } }),
        watch(
          Pod,
          enqueueMapped<Pod>((view) => orphans.of(view)),
          { indexes: { controller: byController } },
        ),
      ],
      reconcile: (owner, ctx) =>
        events.during(ctx, () => new ReplicaReconcile(of, { owner, ctx, control, digests }).run()),
    }),
  };
}

/** One reconcile of a replica set or replication controller. */
class ReplicaReconcile<O extends ReplicaOwner> {
  readonly #of: ReplicaOwnerKind<O>;
  readonly #owner: Stored<O> & Stored<ReplicaOwner>;
  readonly #ctx: ReconcileContext<O>;
  readonly #control: PodControl;
  readonly #digests: PodDigests;

  constructor(
    of: ReplicaOwnerKind<O>,
    parts: {
      readonly owner: Stored<O>;
      readonly ctx: ReconcileContext<O>;
      readonly control: PodControl;
      readonly digests: PodDigests;
    },
  ) {
    this.#of = of;
    // TypeScript cannot resolve the fields of Stored<O> for a generic O.
    this.#owner = parts.owner as Stored<O> & Stored<ReplicaOwner>;
    this.#ctx = parts.ctx;
    this.#control = parts.control;
    this.#digests = parts.digests;
  }

  async run(): Promise<ReconcileOutcome> {
    const ctx = this.#ctx;
    const owner = this.#owner;
    const all = await this.#claimed();
    const pods = all.filter(isPodActive);
    const error = isDeleting(owner) ? undefined : await this.#manage(pods);
    const terminating = all.filter(isPodTerminating);
    await this.#report(replicaSetStatus(owner, { pods, terminating, error, nowMs: ctx.clock.now() }));
    if (error !== undefined) throw error;
    return this.#nextAvailability(pods);
  }

  async #claimed(): Promise<readonly Stored<Pod>[]> {
    const ctx = this.#ctx;
    const owner = this.#owner;
    const { uid, namespace } = owner.metadata;
    const candidates = [...this.#controlledBy(uid), ...this.#controlledBy(orphansOf(namespace))].filter(
      (pod) => isPodActive(pod) || isPodTerminating(pod),
    );
    const selector = selectorOf(this.#of, owner);
    return claim(ctx, { owner, ownerKind: this.#of.kind, kind: Pod, selector, candidates });
  }

  /** Creates missing pods or deletes surplus pods. Returns the first error, if any. */
  async #manage(pods: readonly Stored<Pod>[]): Promise<unknown> {
    const owner = this.#owner;
    const ctx = this.#ctx;
    const surplus = pods.length - (owner.spec?.replicas ?? 1);
    if (surplus === 0) return undefined;
    if (surplus < 0) {
      const pod = podFromTemplate(owner.spec?.template, owner);
      const { error } = await slowStart(Math.min(-surplus, burst), async () => {
        await this.#control.create(ctx, { pod, owner });
      });
      return isNamespaceTerminating(error) ? undefined : error;
    }
    const count = Math.min(surplus, burst);
    const doomed = podsToDelete(pods, { count, siblings: this.#siblings(), nowMs: ctx.clock.now() });
    const results = await Promise.allSettled(doomed.map((pod) => this.#control.delete(ctx, { pod, owner })));
    return results.find((result) => result.status === 'rejected')?.reason;
  }

  /** Returns the active pods of all replica sets with the same controller, for example of one Deployment. */
  #siblings(): readonly Stored<Pod>[] {
    const { cache } = this.#ctx;
    const { uid, namespace } = this.#owner.metadata;
    const controllerUid = controllerOf(this.#owner)?.uid;
    const sets = cache.lister(this.#of.kind).views({ namespace });
    const uids = sets
      .filter((view) => controllerUid !== undefined && view.ownerReferences.some((each) => each.uid === controllerUid))
      .map((view) => view.uid);
    return [...new Set([uid, ...uids])].flatMap((each) => this.#controlledBy(each)).filter(isPodActive);
  }

  /** Returns the pods with this value in the {@link byController} index. */
  #controlledBy(value: string): readonly Stored<Pod>[] {
    const views = this.#ctx.cache.lister(Pod).views({ index: { name: 'controller', value } });
    return views.map((view) => this.#digests.of(view));
  }

  async #report(status: ReplicaSetStatus): Promise<void> {
    const { kind } = this.#of;
    const ctx = this.#ctx;
    if (isSameStatus(this.#owner.status, status)) return;
    try {
      await updateStatus<O>(ctx, { kind, object: { ...this.#owner, status } });
    } catch (error) {
      if (isNotFound(error)) return;
      if (!isConflict(error)) throw error;
      // Retry once on the live object, as upstream does.
      const live = await ctx.client.resource(kind).get(objectKey(this.#owner), { signal: ctx.signal });
      if (live.metadata.uid !== this.#owner.metadata.uid) return;
      await updateStatus<O>(ctx, { kind, object: { ...live, status } });
    }
  }

  /** Requeues at the time when the next pod becomes available, because no event occurs then. */
  #nextAvailability(pods: readonly Pod[]): ReconcileOutcome {
    const { minReadySeconds = 0 } = this.#owner.spec ?? {};
    const nowMs = this.#ctx.clock.now();
    const waits = pods
      .map((pod) => msUntilAvailable(pod, { minReadySeconds, nowMs }))
      .filter((ms): ms is number => ms !== undefined && ms > 0);
    return waits.length === 0 ? undefined : { requeueAfterMs: Math.min(...waits) + 1 };
  }
}
