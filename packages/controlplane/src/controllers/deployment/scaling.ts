import type { Stored } from '@kubewright/apimachinery';
import type { Deployment, ReplicaSet } from '@kubewright/apimachinery/apps/v1';
import { isSizedForOther, maxReplicasWhenSized } from './annotations.ts';
import type { Generations } from './new-replica-set.ts';
import type { Rollout } from './rollout.ts';
import {
  activeSets,
  byCreation,
  desiredReplicas,
  isRollingUpdate,
  maxSurge,
  sizeOf,
  totalSize,
} from './rollout-math.ts';

/** True if the deployment was resized after its replica sets were last scaled. */
export function isScaling({ deployment, sets }: Rollout): boolean {
  return activeSets(sets).some((set) => isSizedForOther(set, deployment));
}

/**
 * Scales the sets after the deployment was resized, or while it is paused, without advancing a rollout. If only one set has pods,
 * it gets all replicas. In the middle of a rolling update, all sets grow or shrink in proportion.
 */
export async function scaleAll(rollout: Rollout, { current, old }: Generations): Promise<void> {
  const { deployment } = rollout;
  const only = activeOrLatest({ current, old });
  if (only) {
    await rollout.resize(only, desiredReplicas(deployment));
    return;
  }
  if (isSaturated(deployment, current)) {
    for (const set of activeSets(old)) await rollout.resize(set, 0);
    return;
  }
  if (!isRollingUpdate(deployment)) return;
  const sets = activeSets(current ? [...old, current] : old);
  for (const [set, size] of proportionalSizes(deployment, sets)) await rollout.scale(set, size);
}

/**
 * Returns the only set with a non-zero size, the newest set if all sizes are zero, or undefined if several sets have a
 * non-zero size.
 */
function activeOrLatest({ current, old }: Generations): ReplicaSet | undefined {
  const newestFirst = [...old].sort((a, b) => byCreation(b, a));
  const active = activeSets(current ? [...newestFirst, current] : newestFirst);
  return active.length === 0 ? (current ?? newestFirst[0]) : active.length === 1 ? active[0] : undefined;
}

/** True if the new set has its full size and is available, so only the old sets remain to be scaled down. */
function isSaturated(deployment: Deployment, set: ReplicaSet | undefined): boolean {
  if (!set) return false;
  const desired = desiredReplicas(deployment);
  const sizedFor = Number(set.metadata.annotations?.['deployment.kubernetes.io/desired-replicas'] ?? Number.NaN);
  return sizeOf(set) === desired && sizedFor === desired && (set.status?.availableReplicas ?? 0) === desired;
}

/** Returns the new size of each set, in proportion to its current size. The rounding remainder goes to the largest set. */
function proportionalSizes(
  deployment: Deployment,
  sets: readonly Stored<ReplicaSet>[],
): ReadonlyMap<ReplicaSet, number> {
  const desired = desiredReplicas(deployment);
  const allowed = desired > 0 ? desired + maxSurge(deployment) : 0;
  const toAdd = allowed - totalSize(sets);
  // Among sets of equal size, newer ones grow first and older ones shrink first.
  const age = toAdd > 0 ? (a: Stored<ReplicaSet>, b: Stored<ReplicaSet>) => byCreation(b, a) : byCreation;
  const sorted = [...sets].sort((a, b) => sizeOf(b) - sizeOf(a) || age(a, b));
  const sizes = new Map<ReplicaSet, number>();
  let added = 0;
  for (const set of sorted) {
    const share = toAdd === 0 ? 0 : proportion(deployment, set, { toAdd, added });
    sizes.set(set, sizeOf(set) + share);
    added += share;
  }
  const [largest] = sorted;
  if (largest && toAdd !== 0) sizes.set(largest, Math.max(0, (sizes.get(largest) ?? 0) + toAdd - added));
  return sizes;
}

function proportion(
  deployment: Deployment,
  set: ReplicaSet,
  { toAdd, added }: { readonly toAdd: number; readonly added: number },
): number {
  if (sizeOf(set) === 0 || toAdd === added) return 0;
  const share = fraction(deployment, set);
  const left = toAdd - added;
  return toAdd > 0 ? Math.min(share, left) : Math.max(share, left);
}

function fraction(deployment: Deployment, set: ReplicaSet): number {
  const desired = desiredReplicas(deployment);
  if (desired === 0) return -sizeOf(set);
  const before = maxReplicasWhenSized(set) || (deployment.status?.replicas ?? 0);
  if (before === 0) return 0;
  return Math.round((sizeOf(set) * (desired + maxSurge(deployment))) / before) - sizeOf(set);
}
