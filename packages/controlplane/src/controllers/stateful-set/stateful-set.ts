import { isConflict, isDeleting, isNotFound, LabelSelector, objectKey, type Stored } from '@kubewright/apimachinery';
import { ControllerRevision, StatefulSet } from '@kubewright/apimachinery/apps/v1';
import { PersistentVolumeClaim, Pod } from '@kubewright/apimachinery/core/v1';
import { sameJson } from '@kubewright/apimachinery/internal';
import {
  cached,
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
import { msUntilAvailable } from '../pods/pod-state.ts';
import { findRevisions, truncateHistory } from './revisions.ts';
import { SetUpdate } from './set-update.ts';
import { ordinalOf, podRevision } from './stateful-pod.ts';
import { StatefulPodControl } from './stateful-pod-control.ts';
import { statefulSetStatus } from './stateful-set-status.ts';

const account = 'statefulset-controller';
const indexes = { controller: byController };

/** Manages the pods of StatefulSets. Each pod has a stable name and its own storage. Pods are created and replaced in order. */
export function statefulSetController(): BuiltInController {
  const events = new CoreEventRecorder(account);
  const orphans = new OrphanOwners();
  return {
    account,
    definition: controller({
      name: account,
      for: StatefulSet,
      maxConcurrentReconciles: 5,
      caches: [cached(ControllerRevision, { indexes }), PersistentVolumeClaim],
      watches: [
        watch(
          StatefulSet,
          orphans.track<StatefulSet>(({ spec }) => spec?.selector),
        ),
        watch(Pod, enqueueForOwner<Pod>(StatefulSet), { indexes }),
        watch(
          Pod,
          enqueueMapped<Pod>((view) => orphans.of(view)),
          { indexes },
        ),
      ],
      reconcile: (set, ctx) => events.during(ctx, () => reconcile(set, { ctx, events })),
    }),
  };
}

interface Parts {
  readonly ctx: ReconcileContext<StatefulSet>;
  readonly events: CoreEventRecorder;
}

async function reconcile(set: Stored<StatefulSet>, { ctx, events }: Parts): Promise<ReconcileOutcome> {
  const pods = await claimed(set, ctx);
  const revisions = await findRevisions(ctx, set);
  const control = new StatefulPodControl({ events, ctx, set });
  let failure: { readonly error: unknown } | undefined;
  if (!isDeleting(set)) {
    const nowMs = ctx.clock.now();
    await new SetUpdate({ set, pods, revisions, control, nowMs }).run().catch((error: unknown) => {
      // Rethrow the error only after the status is written.
      failure = { error };
    });
  }
  const now = await claimed(set, ctx);
  await report(set, { ctx, status: statefulSetStatus(set, { pods: now, revisions, nowMs: ctx.clock.now() }) });
  if (failure) throw failure.error;
  const live = new Set(now.map((pod) => podRevision(pod) ?? ''));
  await truncateHistory(ctx, { set, revisions, live });
  return nextAvailability(set, { pods: now, nowMs: ctx.clock.now() });
}

async function claimed(owner: Stored<StatefulSet>, ctx: Parts['ctx']): Promise<readonly Stored<Pod>[]> {
  const { uid, namespace } = owner.metadata;
  const lister = ctx.cache.lister(Pod);
  const of = (value: string) => lister.list({ index: { name: 'controller', value } });
  const candidates = [...of(uid), ...of(orphansOf(namespace))];
  const matches = (pod: Stored<Pod>) => ordinalOf(owner, pod) !== undefined;
  const selector = LabelSelector.ofObject(owner.spec?.selector);
  return claim(ctx, { owner, ownerKind: StatefulSet, kind: Pod, selector, candidates, matches });
}

async function report(
  set: StatefulSet,
  { ctx, status }: { readonly ctx: Parts['ctx']; readonly status: NonNullable<StatefulSet['status']> },
): Promise<void> {
  if (sameJson(set.status ?? {}, status)) return;
  try {
    await updateStatus(ctx, { kind: StatefulSet, object: { ...set, status } });
  } catch (error) {
    if (isNotFound(error)) return;
    if (!isConflict(error)) throw error;
    const live = await ctx.client.resource(StatefulSet).get(objectKey(set), { signal: ctx.signal });
    if (live.metadata.uid !== set.metadata.uid) return;
    await updateStatus(ctx, { kind: StatefulSet, object: { ...live, status } });
  }
}

function nextAvailability(
  set: StatefulSet,
  { pods, nowMs }: { readonly pods: readonly Pod[]; readonly nowMs: number },
): ReconcileOutcome {
  const { minReadySeconds = 0 } = set.spec ?? {};
  const waits = pods
    .map((pod) => msUntilAvailable(pod, { minReadySeconds, nowMs }))
    .filter((ms): ms is number => ms !== undefined && ms > 0);
  return waits.length === 0 ? undefined : { requeueAfterMs: Math.min(...waits) + 1 };
}
