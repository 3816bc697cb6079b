import { isDeleting, LabelSelector, type Stored } from '@kubewright/apimachinery';
import { Deployment, type DeploymentStatus, ReplicaSet } from '@kubewright/apimachinery/apps/v1';
import { Pod } from '@kubewright/apimachinery/core/v1';
import { sameJson } from '@kubewright/apimachinery/internal';
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
import { byController, OrphanOwners, orphansOf } from '../orphan-owners.ts';
import { byRevision } from './annotations.ts';
import { conditionOf, newCondition, progressDeadlineSeconds, reasons } from './conditions.ts';
import { deploymentStatus, isComplete, msUntilDeadline, rolloutStatus } from './deployment-status.ts';
import { type Generations, generations } from './new-replica-set.ts';
import { Rollout } from './rollout.ts';
import { byCreation, isRollingUpdate, sizeOf } from './rollout-math.ts';
import { isScaling, scaleAll } from './scaling.ts';
import { recreate, rollingUpdate } from './strategies.ts';

const account = 'deployment-controller';

/** Rolls out Deployments: keeps one ReplicaSet per template, and scales the new set up while it scales the old sets down. */
export function deploymentController(): BuiltInController {
  const events = new CoreEventRecorder(account);
  const orphans = new OrphanOwners();
  /**
   * Deployment names by replica set uid. Needed to enqueue the deployment when a pod is deleted, because a Recreate update may
   * wait for the deletion.
   */
  const deployments = new Map<string, string>();
  return {
    account,
    definition: controller({
      name: account,
      for: Deployment,
      maxConcurrentReconciles: 5,
      watches: [
        watch(
          Deployment,
          orphans.track<Deployment>(({ spec }) => spec?.selector),
        ),
        watch(ReplicaSet, enqueueForOwner<ReplicaSet>(Deployment), { indexes: { controller: byController } }),
        watch(
          ReplicaSet,
          enqueueMapped<ReplicaSet>((view) => orphans.of(view)),
          { indexes: { controller: byController } },
        ),
        watch<ReplicaSet>(
          ReplicaSet,
          ({ type, object }) => {
            const owner = object.ownerReferences.find((each) => each.controller === true && each.kind === 'Deployment');
            if (type === 'delete' || !owner) deployments.delete(object.uid);
            else deployments.set(object.uid, owner.name);
          },
          { indexes: { controller: byController } },
        ),
        watch<Pod>(
          Pod,
          ({ object }, context) => {
            const owner = object.ownerReferences.find((each) => each.controller === true);
            const name = owner && deployments.get(owner.uid);
            if (name !== undefined) context.enqueue({ namespace: object.namespace, name });
          },
          { indexes: { controller: byController }, predicates: [({ type }) => type === 'delete'] },
        ),
      ],
      reconcile: (deployment, ctx) => events.during(ctx, () => reconcile(deployment, { ctx, events })),
    }),
  };
}

interface Parts {
  readonly ctx: ReconcileContext<Deployment>;
  readonly events: CoreEventRecorder;
}

async function reconcile(deployment: Stored<Deployment>, { ctx, events }: Parts): Promise<ReconcileOutcome> {
  const selector = LabelSelector.ofObject(deployment.spec?.selector);
  if (selector.isEmpty) {
    const message = 'This deployment is selecting all pods. A non-empty selector is required.';
    events.record(ctx, { about: deployment, type: 'Warning', reason: 'SelectingAll', message });
    return undefined;
  }
  const sets = await claimed(deployment, { ctx, selector });
  const rollout = new Rollout({ ctx, events, deployment, sets });
  if (isDeleting(deployment)) {
    const { current } = await generations(rollout, { create: false });
    await report(rollout, deploymentStatus(rollout.deployment, { sets: rollout.sets, current, nowMs: rollout.nowMs }));
    return undefined;
  }
  await notePause(rollout);
  if (deployment.spec?.paused || isScaling(rollout)) {
    await resize(rollout);
    return undefined;
  }
  const podsOf = (set: Stored<ReplicaSet>) =>
    ctx.cache.lister(Pod).list({ index: { name: 'controller', value: set.metadata.uid } });
  const step = isRollingUpdate(deployment) ? await rollingUpdate(rollout) : await recreate(rollout, podsOf);
  if (step.settled && isComplete(rollout.deployment, rollout.deployment.status)) await cleanUp(rollout, step);
  const status = rolloutStatus(rollout.deployment, { ...newest(rollout, step), nowMs: rollout.nowMs });
  await report(rollout, status);
  const requeueAfterMs = msUntilDeadline(rollout.deployment, status, rollout.nowMs);
  return requeueAfterMs === undefined ? undefined : { requeueAfterMs };
}

async function claimed(
  owner: Stored<Deployment>,
  { ctx, selector }: { readonly ctx: Parts['ctx']; readonly selector: LabelSelector },
): Promise<readonly Stored<ReplicaSet>[]> {
  const lister = ctx.cache.lister(ReplicaSet);
  const of = (value: string) => lister.list({ index: { name: 'controller', value } });
  const { uid, namespace } = owner.metadata;
  const candidates = [...of(uid), ...of(orphansOf(namespace))];
  return claim(ctx, { owner, ownerKind: Deployment, kind: ReplicaSet, selector, candidates });
}

/** Scales the replica sets without advancing the rollout, after the deployment was resized or while it is paused. */
async function resize(rollout: Rollout): Promise<void> {
  const found = await generations(rollout, { create: false });
  await scaleAll(rollout, found);
  if (rollout.deployment.spec?.paused) await cleanUp(rollout, found);
  const state = { ...newest(rollout, found), nowMs: rollout.nowMs };
  await report(rollout, deploymentStatus(rollout.deployment, state));
}

/** Sets the Progressing condition when the rollout is paused or resumed. The deadline does not run while it is paused. */
async function notePause(rollout: Rollout): Promise<void> {
  const { deployment, nowMs } = rollout;
  if (progressDeadlineSeconds(deployment) === undefined) return;
  const progress = conditionOf(deployment.status, 'Progressing');
  if (progress?.reason === reasons.timedOut) return;
  const paused = progress?.reason === reasons.paused;
  if (deployment.spec?.paused && !paused) {
    const said = { status: 'Unknown', reason: reasons.paused, message: 'Deployment is paused' };
    await rollout.writeCondition(newCondition('Progressing', { ...said, nowMs }));
  } else if (!deployment.spec?.paused && paused) {
    const said = { status: 'Unknown', reason: reasons.resumed, message: 'Deployment is resumed' };
    await rollout.writeCondition(newCondition('Progressing', { ...said, nowMs }));
  }
}

/** Deletes the oldest replica sets beyond the history limit, except those that still have pods. */
async function cleanUp(rollout: Rollout, { old }: Pick<Generations, 'old'>): Promise<void> {
  const limit = rollout.deployment.spec?.revisionHistoryLimit;
  if (limit === undefined || limit === 0x7fffffff) return;
  const alive = old.map((set) => rollout.current(set)).filter((set) => !isDeleting(set));
  const oldest = [...alive].sort((a, b) => byRevision(a, b) || byCreation(a, b));
  for (const set of oldest.slice(0, Math.max(0, alive.length - limit))) {
    const unseen = set.metadata.generation > (set.status?.observedGeneration ?? 0);
    if ((set.status?.replicas ?? 0) === 0 && sizeOf(set) === 0 && !unseen) await rollout.drop(set);
  }
}

function newest(
  rollout: Rollout,
  { current }: Pick<Generations, 'current'>,
): { readonly sets: readonly ReplicaSet[]; readonly current: ReplicaSet | undefined } {
  return { sets: rollout.sets, current: current && rollout.current(current) };
}

async function report(rollout: Rollout, status: DeploymentStatus): Promise<void> {
  const { deployment } = rollout;
  if (!sameJson(deployment.status ?? {}, status)) await rollout.writeStatus({ ...deployment, status });
}
