import type { ReplicaSetCondition, ReplicaSetStatus } from '@kubewright/apimachinery/apps/v1';
import type { Pod } from '@kubewright/apimachinery/core/v1';
import { defined, formatTime, sameJson } from '@kubewright/apimachinery/internal';
import { nonZero } from '../non-zero.ts';
import { messageOf } from '../pods/pod-control.ts';
import { isPodAvailable, isPodReady } from '../pods/pod-state.ts';
import type { ReplicaOwner } from './replica-owner.ts';

/** Input for {@link replicaSetStatus}. */
export interface ReplicaSetState {
  /** The active pods. */
  readonly pods: readonly Pod[];
  readonly terminating: readonly Pod[];
  /** The error that prevented creating or deleting pods, if any. */
  readonly error: unknown;
  readonly nowMs: number;
}

/** Computes a replica set's status: the counts, and a condition if pods could not be created or deleted. */
export function replicaSetStatus(owner: ReplicaOwner, state: ReplicaSetState): ReplicaSetStatus {
  const { pods, terminating, nowMs } = state;
  const { minReadySeconds = 0, template } = owner.spec ?? {};
  const labels = Object.entries(template?.metadata?.labels ?? {});
  const fullyLabeled = pods.filter(({ metadata }) => labels.every(([key, value]) => metadata.labels?.[key] === value));
  const ready = pods.filter(isPodReady);
  const available = pods.filter((pod) => isPodAvailable(pod, { minReadySeconds, nowMs }));
  const conditions = withFailure(owner, state);
  return {
    replicas: pods.length,
    ...nonZero('fullyLabeledReplicas', fullyLabeled.length),
    ...nonZero('readyReplicas', ready.length),
    ...nonZero('availableReplicas', available.length),
    ...(owner.kind === 'ReplicaSet' && { terminatingReplicas: terminating.length }),
    ...defined({ observedGeneration: owner.metadata.generation }),
    ...(conditions.length > 0 && { conditions }),
  };
}

/** True if two statuses are equal. */
export function isSameStatus(present: ReplicaSetStatus | undefined, next: ReplicaSetStatus): boolean {
  return sameJson(present ?? {}, next);
}

function withFailure(owner: ReplicaOwner, { pods, error, nowMs }: ReplicaSetState): readonly ReplicaSetCondition[] {
  const present = owner.status?.conditions ?? [];
  const known = present.some(({ type }) => type === 'ReplicaFailure');
  if (error === undefined) return known ? present.filter(({ type }) => type !== 'ReplicaFailure') : present;
  if (known) return present;
  const missing = pods.length < (owner.spec?.replicas ?? 1);
  const failure: ReplicaSetCondition = {
    type: 'ReplicaFailure',
    status: 'True',
    lastTransitionTime: formatTime(nowMs),
    reason: missing ? 'FailedCreate' : 'FailedDelete',
    message: messageOf(error),
  };
  return [...present, failure];
}
