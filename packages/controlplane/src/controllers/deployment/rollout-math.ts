import { scaledValue } from '@kubewright/apimachinery';
import type { Deployment, ReplicaSet } from '@kubewright/apimachinery/apps/v1';

/** How many pods a deployment shall have. */
export function desiredReplicas({ spec }: Deployment): number {
  return spec?.replicas ?? 1;
}

/** True unless the strategy is Recreate. */
export function isRollingUpdate({ spec }: Deployment): boolean {
  return spec?.strategy?.type !== 'Recreate';
}

/** How many pods there may be beyond the desired ones during an update; percentages round up. */
export function maxSurge(deployment: Deployment): number {
  return isRollingUpdate(deployment) ? fenceposts(deployment).surge : 0;
}

/** How many of the desired pods may be unavailable; percentages round down. */
export function maxUnavailable(deployment: Deployment): number {
  const desired = desiredReplicas(deployment);
  if (!isRollingUpdate(deployment) || desired === 0) return 0;
  return Math.min(fenceposts(deployment).unavailable, desired);
}

/** Both 0 (small percentages round to that) would never let an update move: then one may be unavailable. */
function fenceposts(deployment: Deployment): { readonly surge: number; readonly unavailable: number } {
  const { maxSurge: up = '25%', maxUnavailable: down = '25%' } = deployment.spec?.strategy?.rollingUpdate ?? {};
  const total = desiredReplicas(deployment);
  // Percentages have no upper limit; a replica set's size does.
  const surge = Math.min(scaledValue(up, { total, roundUp: true }) ?? 0, 0x7fffffff - total);
  const unavailable = scaledValue(down, { total }) ?? 0;
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}

/** How many pods a replica set shall have. */
export function sizeOf({ spec }: ReplicaSet): number {
  return spec?.replicas ?? 1;
}

/** How many pods some replica sets shall have together. */
export function totalSize(sets: readonly ReplicaSet[]): number {
  return sets.reduce((sum, each) => sum + sizeOf(each), 0);
}

/** Sums up a count of replica sets' statuses. */
export function totalOf(
  sets: readonly ReplicaSet[],
  field: 'replicas' | 'readyReplicas' | 'availableReplicas' | 'terminatingReplicas',
): number {
  return sets.reduce((sum, { status }) => sum + (status?.[field] ?? 0), 0);
}

/** How large the new replica set may be now. */
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

/** Sets that have or shall have pods. */
export function activeSets(sets: readonly ReplicaSet[]): readonly ReplicaSet[] {
  return sets.filter((each) => sizeOf(each) > 0);
}

/** Oldest first; of equal age by name. */
export function byCreation(a: ReplicaSet, b: ReplicaSet): number {
  const order = createdMs(a) - createdMs(b);
  return order !== 0 ? order : (a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1;
}

function createdMs({ metadata }: ReplicaSet): number {
  return Date.parse(metadata.creationTimestamp ?? '') || 0;
}
