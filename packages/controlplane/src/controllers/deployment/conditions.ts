import type { Deployment, DeploymentCondition, DeploymentStatus } from '@kubewright/apimachinery/apps/v1';
import { formatTime } from '@kubewright/apimachinery/internal';

/** Condition reasons that clients such as `kubectl rollout status` recognize. */
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

/** The condition types of a deployment. */
export type ConditionType = 'Available' | 'Progressing' | 'ReplicaFailure';

/** Returns the condition of a type, or undefined. */
export function conditionOf(
  status: Pick<DeploymentStatus, 'conditions'> | undefined,
  type: ConditionType,
): DeploymentCondition | undefined {
  return status?.conditions?.find((condition) => condition.type === type);
}

/** Builds a condition that is dated now. */
export function newCondition(
  type: ConditionType,
  options: Required<Pick<DeploymentCondition, 'status' | 'reason' | 'message'>> & { readonly nowMs: number },
): DeploymentCondition {
  const { nowMs, ...said } = options;
  const now = formatTime(nowMs);
  return { type, ...said, lastUpdateTime: now, lastTransitionTime: now };
}

/**
 * Returns the conditions with one condition set. If its status and reason are unchanged, the existing condition is
 * kept, including its message and times, so that the progress deadline keeps running.
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

/** Returns the conditions without those of a type. */
export function withoutCondition(
  conditions: readonly DeploymentCondition[],
  type: string,
): readonly DeploymentCondition[] {
  return conditions.filter((condition) => condition.type !== type);
}

/** Returns the time that a rollout may go without progress, in seconds, or undefined if there is no limit. */
export function progressDeadlineSeconds({ spec }: Deployment): number | undefined {
  const seconds = spec?.progressDeadlineSeconds;
  return seconds === 0x7fffffff ? undefined : seconds;
}
