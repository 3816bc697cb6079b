import type { Stored } from '@kubewright/apimachinery';
import type { Deployment, DeploymentCondition, DeploymentStatus, ReplicaSet } from '@kubewright/apimachinery/apps/v1';
import { defined } from '@kubewright/apimachinery/internal';
import { nonZero } from '../non-zero.ts';
import {
  conditionOf,
  newCondition,
  progressDeadlineSeconds,
  reasons,
  withCondition,
  withoutCondition,
} from './conditions.ts';
import { desiredReplicas, maxUnavailable, totalOf, totalSize } from './rollout-math.ts';

/** A deployment's replica sets, from which its status is computed. */
export interface DeploymentState {
  readonly sets: readonly ReplicaSet[];
  readonly current: ReplicaSet | undefined;
  readonly nowMs: number;
}

/** Computes the counts and the Available condition of a status. {@link rolloutStatus} adds progress. */
export function deploymentStatus(deployment: Deployment, state: DeploymentState): DeploymentStatus {
  const { sets, current, nowMs } = state;
  const available = totalOf(sets, 'availableReplicas');
  const enough = available >= desiredReplicas(deployment) - maxUnavailable(deployment);
  const condition = enough
    ? { status: 'True', reason: reasons.available, message: 'Deployment has minimum availability.' }
    : { status: 'False', reason: reasons.unavailable, message: 'Deployment does not have minimum availability.' };
  const { generation } = deployment.metadata;
  const { collisionCount } = deployment.status ?? {};
  return {
    ...defined({ observedGeneration: generation }),
    ...nonZero('replicas', totalOf(sets, 'replicas')),
    ...nonZero('updatedReplicas', current ? totalOf([current], 'replicas') : 0),
    ...nonZero('readyReplicas', totalOf(sets, 'readyReplicas')),
    ...nonZero('availableReplicas', available),
    ...nonZero('unavailableReplicas', Math.max(0, totalSize(sets) - available)),
    terminatingReplicas: totalOf(sets, 'terminatingReplicas'),
    ...defined({ collisionCount }),
    conditions: withCondition(deployment.status?.conditions, newCondition('Available', { ...condition, nowMs })),
  };
}

/** Computes the status during a rollout: counts, availability, progress against the deadline, and failures of replica sets. */
export function rolloutStatus(deployment: Stored<Deployment>, state: DeploymentState): DeploymentStatus {
  const status = deploymentStatus(deployment, state);
  let conditions = withProgress(deployment, { status, state });
  const failure = replicaFailure(state);
  conditions = failure ? withCondition(conditions, failure) : withoutCondition(conditions, 'ReplicaFailure');
  return { ...status, conditions };
}

/** True if all pods belong to the new set and are available. */
export function isComplete(deployment: Stored<Deployment>, status: DeploymentStatus | undefined): boolean {
  const desired = desiredReplicas(deployment);
  return (
    (status?.updatedReplicas ?? 0) === desired &&
    (status?.replicas ?? 0) === desired &&
    (status?.availableReplicas ?? 0) === desired &&
    (status?.observedGeneration ?? 0) >= deployment.metadata.generation
  );
}

/**
 * Returns the time until the progress deadline must be checked, in milliseconds, or undefined if no deadline is running. Without
 * this requeue, nothing would trigger a reconcile for a rollout that makes no progress.
 */
export function msUntilDeadline(
  deployment: Stored<Deployment>,
  status: DeploymentStatus,
  nowMs: number,
): number | undefined {
  const deadline = progressDeadlineSeconds(deployment);
  const progress = conditionOf(status, 'Progressing');
  if (deadline === undefined || !progress) return undefined;
  if (isComplete(deployment, status)) return undefined;
  if (progress.reason === reasons.timedOut || progress.reason === reasons.complete) return undefined;
  return Math.max(1_000, updatedMs(progress) + deadline * 1000 - nowMs + 1_000);
}

function withProgress(
  deployment: Stored<Deployment>,
  { status, state }: { readonly status: DeploymentStatus; readonly state: DeploymentState },
): readonly DeploymentCondition[] {
  const conditions = status.conditions ?? [];
  if (progressDeadlineSeconds(deployment) === undefined) return withoutCondition(conditions, 'Progressing');
  const { current, nowMs } = state;
  const present = conditionOf(deployment.status, 'Progressing');
  const settled = (status.replicas ?? 0) === (status.updatedReplicas ?? 0) && present?.reason === reasons.complete;
  if (settled) return conditions;
  const subject = current ? `ReplicaSet "${current.metadata.name}"` : `Deployment "${deployment.metadata.name}"`;
  const say = (said: { status: string; reason: string; message: string }) =>
    newCondition('Progressing', { ...said, nowMs });
  if (isComplete(deployment, status)) {
    const message = `${subject} has successfully progressed.`;
    return withCondition(conditions, say({ status: 'True', reason: reasons.complete, message }));
  }
  if (isProgressing(deployment.status, status)) {
    const message = `${subject} is progressing.`;
    const condition = say({ status: 'True', reason: reasons.updated, message });
    const since = present?.status === 'True' ? present.lastTransitionTime : undefined;
    // Replace the condition even if it is otherwise unchanged, because its new update time restarts the deadline.
    return [
      ...withoutCondition(conditions, 'Progressing'),
      { ...condition, ...(since && { lastTransitionTime: since }) },
    ];
  }
  if (isTimedOut(deployment, { status, nowMs })) {
    const message = `${subject} has timed out progressing.`;
    return withCondition(conditions, say({ status: 'False', reason: reasons.timedOut, message }));
  }
  return conditions;
}

function isProgressing(before: DeploymentStatus | undefined, now: DeploymentStatus): boolean {
  const old = (status: DeploymentStatus | undefined): number =>
    (status?.replicas ?? 0) - (status?.updatedReplicas ?? 0);
  return (
    (now.updatedReplicas ?? 0) > (before?.updatedReplicas ?? 0) ||
    old(now) < old(before) ||
    (now.readyReplicas ?? 0) > (before?.readyReplicas ?? 0) ||
    (now.availableReplicas ?? 0) > (before?.availableReplicas ?? 0)
  );
}

function isTimedOut(
  deployment: Deployment,
  { status, nowMs }: { readonly status: DeploymentStatus; readonly nowMs: number },
): boolean {
  const progress = conditionOf(status, 'Progressing');
  if (!progress || progress.reason === reasons.complete) return false;
  if (progress.reason === reasons.timedOut) return true;
  const deadlineMs = (progressDeadlineSeconds(deployment) ?? Number.POSITIVE_INFINITY) * 1000;
  return updatedMs(progress) + deadlineMs < nowMs;
}

/**
 * Returns the time of the last update. A condition without an update time, which only another program can have written, counts as
 * updated in 1970.
 */
function updatedMs({ lastUpdateTime }: DeploymentCondition): number {
  return Date.parse(lastUpdateTime ?? '') || 0;
}

/** Returns the failure condition of the new set, or else the failure condition of an old set. */
function replicaFailure({ sets, current }: DeploymentState): DeploymentCondition | undefined {
  const failureOf = (set: ReplicaSet | undefined) =>
    set?.status?.conditions?.find(({ type }) => type === 'ReplicaFailure');
  const failure = failureOf(current) ?? sets.map(failureOf).find((each) => each !== undefined);
  if (!failure) return undefined;
  return { ...failure, ...(failure.lastTransitionTime && { lastUpdateTime: failure.lastTransitionTime }) };
}
