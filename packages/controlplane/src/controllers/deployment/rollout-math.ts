import { type Stored, scaledValue } from '@kubewright/apimachinery';
import type { Deployment, ReplicaSet } from '@kubewright/apimachinery/apps/v1';

/** Returns the desired number of pods. */
export function desiredReplicas({ spec }: Deployment): number {
  return spec?.replicas ?? 1;
}

/** True unless the strategy is Recreate. */
export function isRollingUpdate({ spec }: Deployment): boolean {
  return spec?.strategy?.type !== 'Recreate';
}

/** Returns the number of pods that may exist above the desired number during an update. Percentages round up. */
export function maxSurge(deployment: Deployment): number {
  return isRollingUpdate(deployment) ? fenceposts(deployment).surge : 0;
}

/** Returns the number of desired pods that may be unavailable. Percentages round down. */
export function maxUnavailable(deployment: Deployment): number {
  const desired = desiredReplicas(deployment);
  if (!isRollingUpdate(deployment) || desired === 0) return 0;
  return Math.min(fenceposts(deployment).unavailable, desired);
}

/**
 * Resolves the surge and unavailable counts. If both round to 0, one pod may be unavailable, because the update could not
 * progress otherwise.
 */
function fenceposts(deployment: Deployment): { readonly surge: number; readonly unavailable: number } {
  const { maxSurge: up = '25%', maxUnavailable: down = '25%' } = deployment.spec?.strategy?.rollingUpdate ?? {};
  const total = desiredReplicas(deployment);
  // A percentage has no upper limit, but the size of a replica set does.
  const surge = Math.min(scaledValue(up, { total, roundUp: true }) ?? 0, 0x7fffffff - total);
  const unavailable = scaledValue(down, { total }) ?? 0;
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}

/** Returns the desired number of pods of a replica set. */
export function sizeOf({ spec }: ReplicaSet): number {
  return spec?.replicas ?? 1;
}

/** Returns the sum of the replica sets' desired numbers of pods. */
export function totalSize(sets: readonly ReplicaSet[]): number {
  return sets.reduce((sum, each) => sum + sizeOf(each), 0);
}

/** Sums one of the status counts over the replica sets. */
export function totalOf(
  sets: readonly ReplicaSet[],
  field: 'replicas' | 'readyReplicas' | 'availableReplicas' | 'terminatingReplicas',
): number {
  return sets.reduce((sum, { status }) => sum + (status?.[field] ?? 0), 0);
}

/** Returns the size to which the new replica set may be scaled now. */
export function newReplicaSetSize(
  deployment: Deployment,
  options: { readonly all: readonly ReplicaSet[]; readonly present: number },
): number {
  const { all, present } = options;
  const desired = desiredReplicas(deployment);
  if (!isRollingUpdate(deployment)) return desired;
  const room = desired + maxSurge(deployment) - totalSize(all);
  return room <= 0 ? present : present + Math.min(room, desired - present);
}

/** Returns the sets with a non-zero desired size. */
export function activeSets(sets: readonly Stored<ReplicaSet>[]): readonly Stored<ReplicaSet>[] {
  return sets.filter((each) => sizeOf(each) > 0);
}

/** Orders replica sets by creation time, oldest first, then by name. */
export function byCreation(a: Stored<ReplicaSet>, b: Stored<ReplicaSet>): number {
  const order = createdMs(a) - createdMs(b);
  return order !== 0 ? order : a.metadata.name < b.metadata.name ? -1 : 1;
}

function createdMs({ metadata }: Stored<ReplicaSet>): number {
  return Date.parse(metadata.creationTimestamp) || 0;
}
