import type { Stored } from '@kubewright/apimachinery';
import type { Deployment, DeploymentCondition, DeploymentStatus, ReplicaSet } from '@kubewright/apimachinery/apps/v1';
import { defined } from '@kubewright/apimachinery/internal';
import {
  conditionOf,
  newCondition,
  progressDeadlineSeconds,
  reasons,
  withCondition,
  withoutCondition,
} from './conditions.ts';
import { desiredReplicas, maxUnavailable, totalOf, totalSize } from './rollout-math.ts';

/** Input for a deployment's status. */
export interface DeploymentState {
  readonly sets: readonly ReplicaSet[];
  readonly current: ReplicaSet | undefined;
  readonly nowMs: number;
}

/** Returns a status with counts and availability; {@link rolloutStatus} adds progress. */
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

/** Returns a status during a rollout: counts, availability, progress against the deadline, and replica set failures. */
export function rolloutStatus(deployment: Stored<Deployment>, state: DeploymentState): DeploymentStatus {
  const status = deploymentStatus(deployment, state);
  let conditions = withProgress(deployment, { status, state });
  const failure = replicaFailure(state);
  conditions = failure ? withCondition(conditions, failure) : withoutCondition(conditions, 'ReplicaFailure');
  return { ...status, conditions };
}

/** True once all pods belong to the new set and are available. */
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
 * Returns the milliseconds until the progress deadline must be checked; undefined if it is not running. Without this requeue,
 * nothing would wake the controller when a rollout makes no progress.
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
    // Replace the condition even if it is unchanged: its update time restarts the deadline.
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

/** Returns the update time. A condition without one, which only another writer leaves, counts as infinitely old. */
function updatedMs({ lastUpdateTime }: DeploymentCondition): number {
  return Date.parse(lastUpdateTime ?? '') || 0;
}

/** Returns the new set's failure, or else one of an old set. */
function replicaFailure({ sets, current }: DeploymentState): DeploymentCondition | undefined {
  const failureOf = (set: ReplicaSet | undefined) =>
    set?.status?.conditions?.find(({ type }) => type === 'ReplicaFailure');
  const failure = failureOf(current) ?? sets.map(failureOf).find((each) => each !== undefined);
  if (!failure) return undefined;
  return { ...failure, ...(failure.lastTransitionTime && { lastUpdateTime: failure.lastTransitionTime }) };
}

function nonZero(name: string, count: number): Readonly<Record<string, number>> {
  return count === 0 ? {} : { [name]: count };
}
