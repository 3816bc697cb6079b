import type { Stored } from '@kubewright/apimachinery';
import type { ReplicaSet } from '@kubewright/apimachinery/apps/v1';
import type { Pod } from '@kubewright/apimachinery/core/v1';
import { isPodEnded } from '../pods/pod-state.ts';
import { generations } from './new-replica-set.ts';
import type { Rollout } from './rollout.ts';
import {
  activeSets,
  byCreation,
  desiredReplicas,
  maxUnavailable,
  newReplicaSetSize,
  sizeOf,
  totalOf,
  totalSize,
} from './rollout-math.ts';

/** The result of one step of a rollout. */
export interface StrategyStep {
  readonly current: Stored<ReplicaSet> | undefined;
  readonly old: readonly Stored<ReplicaSet>[];
  /**
   * False if old pods still have to be removed, or if the rolling update scaled a set. If true, old revisions can be deleted once
   * the rollout is complete.
   */
  readonly settled: boolean;
}

/** Advances a rolling update by one step: scales up the new set, or else scales down the old sets. */
export async function rollingUpdate(rollout: Rollout): Promise<StrategyStep> {
  const { current, old } = await generations(rollout, { create: true });
  if (current && (await growNew(rollout, current))) return { current, old, settled: false };
  const shrunk = await shrinkOld(rollout, { current, old });
  return { current, old, settled: !shrunk };
}

/** Advances a Recreate update: terminates all old pods first, then scales up the new set. */
export async function recreate(
  rollout: Rollout,
  podsOf: (set: Stored<ReplicaSet>) => readonly Pod[],
): Promise<StrategyStep> {
  const { current, old } = await generations(rollout, { create: false });
  let scaledDown = false;
  for (const set of activeSets(old)) scaledDown = (await rollout.resize(set, 0)) || scaledDown;
  if (scaledDown) return { current, old, settled: false };
  const running = totalOf(old, 'replicas') > 0 || old.some((set) => podsOf(set).some((pod) => !isPodEnded(pod)));
  if (running) return { current, old, settled: false };
  const grown = current ?? (await generations(rollout, { create: true })).current;
  if (grown) await rollout.resize(grown, desiredReplicas(rollout.deployment));
  return { current: grown, old, settled: true };
}

async function growNew(rollout: Rollout, set: ReplicaSet): Promise<boolean> {
  const { deployment } = rollout;
  const desired = desiredReplicas(deployment);
  const present = sizeOf(set);
  if (present === desired) return false;
  if (present > desired) return rollout.resize(set, desired);
  return rollout.resize(set, newReplicaSetSize(deployment, { all: rollout.sets, present }));
}

/** Scales down old sets as far as availability allows. Starts with unhealthy pods, because they do not count as available. */
async function shrinkOld(
  rollout: Rollout,
  { current, old }: { readonly current: ReplicaSet | undefined; readonly old: readonly Stored<ReplicaSet>[] },
): Promise<boolean> {
  const { deployment } = rollout;
  const active = activeSets(old);
  if (totalSize(active) === 0) return false;
  const minAvailable = desiredReplicas(deployment) - maxUnavailable(deployment);
  const newUnavailable = current ? sizeOf(current) - (current.status?.availableReplicas ?? 0) : 0;
  const max = totalSize(rollout.sets) - minAvailable - newUnavailable;
  if (max <= 0) return false;
  const unhealthy = await dropUnhealthy(rollout, { active, max });
  const dropped = await dropAvailable(rollout, { active, minAvailable });
  return unhealthy + dropped > 0;
}

async function dropUnhealthy(
  rollout: Rollout,
  { active, max }: { readonly active: readonly Stored<ReplicaSet>[]; readonly max: number },
): Promise<number> {
  let dropped = 0;
  for (const set of [...active].sort(byCreation)) {
    const size = sizeOf(set);
    const down = Math.min(max - dropped, size - (set.status?.availableReplicas ?? 0));
    if (down <= 0) continue;
    await rollout.resize(set, size - down);
    dropped += down;
  }
  return dropped;
}

async function dropAvailable(
  rollout: Rollout,
  { active, minAvailable }: { readonly active: readonly Stored<ReplicaSet>[]; readonly minAvailable: number },
): Promise<number> {
  const max = totalOf(rollout.sets, 'availableReplicas') - minAvailable;
  let dropped = 0;
  for (const each of [...active].sort(byCreation)) {
    const set = rollout.current(each);
    const size = sizeOf(set);
    const down = Math.min(size, max - dropped);
    if (down <= 0) continue;
    await rollout.resize(set, size - down);
    dropped += down;
  }
  return dropped;
}
