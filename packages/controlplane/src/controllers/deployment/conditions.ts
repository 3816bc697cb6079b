import { formatTime } from '@kubewright/apimachinery';
import type { Deployment, DeploymentCondition, DeploymentStatus } from '@kubewright/apimachinery/apps/v1';

/** Reasons of the conditions, as clients (`kubectl rollout status`) know them. */
export const reasons = {
  available: 'MinimumReplicasAvailable',
  unavailable: 'MinimumReplicasUnavailable',
  created: 'NewReplicaSetCreated',
  found: 'FoundNewReplicaSet',
  updated: 'ReplicaSetUpdated',
  complete: 'NewReplicaSetAvailable',
  timedOut: 'ProgressDeadlineExceeded',
  createError: 'ReplicaSetCreateError',
  paused: 'DeploymentPaused',
  resumed: 'DeploymentResumed',
} as const;

/** A status that the deployment has or shall have. */
export type ConditionType = 'Available' | 'Progressing' | 'ReplicaFailure';

/** The condition of a type. */
export function conditionOf(
  status: Pick<DeploymentStatus, 'conditions'> | undefined,
  type: ConditionType,
): DeploymentCondition | undefined {
  return status?.conditions?.find((condition) => condition.type === type);
}

/** Makes a condition as of now. */
export function newCondition(
  type: ConditionType,
  options: Required<Pick<DeploymentCondition, 'status' | 'reason' | 'message'>> & { readonly nowMs: number },
): DeploymentCondition {
  const { nowMs, ...said } = options;
  const now = formatTime(nowMs);
  return { type, ...said, lastUpdateTime: now, lastTransitionTime: now };
}

/**
 * Conditions with one said anew. One of the same status and reason stays as it is, message and times included: that is
 * what keeps the deadline of a rollout counting.
 */
export function withCondition(
  conditions: readonly DeploymentCondition[] | undefined,
  next: DeploymentCondition,
): readonly DeploymentCondition[] {
  const list = conditions ?? [];
  const present = list.find(({ type }) => type === next.type);
  if (present && present.status === next.status && present.reason === next.reason) return list;
  const { lastTransitionTime } = present?.status === next.status ? present : next;
  return [...withoutCondition(list, next.type), { ...next, ...(lastTransitionTime && { lastTransitionTime }) }];
}

/** Conditions without those of a type. */
export function withoutCondition(
  conditions: readonly DeploymentCondition[],
  type: string,
): readonly DeploymentCondition[] {
  return conditions.filter((condition) => condition.type !== type);
}

/** Seconds that a rollout may stand still; undefined when it may for ever. */
export function progressDeadlineSeconds({ spec }: Deployment): number | undefined {
  const seconds = spec?.progressDeadlineSeconds;
  return seconds === 0x7fffffff ? undefined : seconds;
}
