import { instanceNumber } from '../spec/cluster-names.ts';
import { isWorking, type ObservedCluster, type ObservedInstance } from './observed-cluster.ts';

/** The next step of rolling out changed settings or a new image. */
export type RolloutStep =
  /** Restarts the server in its pod. */
  | { readonly do: 'restart'; readonly name: string; readonly why: string }
  /** Deletes the pod, which is then recreated. */
  | { readonly do: 'recreate'; readonly name: string; readonly why: string }
  /** Waits for other instances, or for the user's decision. */
  | { readonly do: 'wait'; readonly why: string; readonly needsUser?: true };

/**
 * Returns the next step of a rollout. One instance is updated at a time, while all others work. Replicas come first.
 * The exception is a lowered setting that must not be lower on a replica than on the primary: then the primary comes
 * first. For the primary's own restart, see {@link primaryUpdate}.
 */
export function nextRolloutStep(cluster: ObservedCluster): RolloutStep | undefined {
  const { members, currentPrimary: primary } = cluster;
  if (primary === undefined || primary !== cluster.targetPrimary || cluster.isHibernated) return undefined;
  const primaryInstance = members.find(({ name }) => name === primary);
  const due = members.filter((each) => isOutdated(each) || needsRestart(each));
  if (due.length === 0) return undefined;
  const lowers = members.some(({ report }) => report?.lowersSetting);
  const broken = members.filter((each) => !isWorking(each, primary) && !cluster.fenced.includes(each.name));
  const replicas = due.filter(({ name }) => name !== primary).sort(descending);
  if (lowers && primaryInstance && needsRestart(primaryInstance)) {
    return broken.length > 0 ? blocked(broken) : primaryStep(cluster, primaryInstance);
  }
  // A broken replica is updated first: the update may repair it.
  const [brokenReplica] = replicas.filter((each) => broken.includes(each) && isOutdated(each));
  if (brokenReplica && broken.length === 1) return step(brokenReplica);
  if (broken.length > 0) return blocked(broken);
  // A replica that only waits for a lowered setting restarts after the primary.
  const [replica] = replicas.filter((each) => isOutdated(each) || !each.report?.lowersSetting);
  if (replica) return step(replica);
  return primaryInstance && due.includes(primaryInstance) ? primaryStep(cluster, primaryInstance) : undefined;
}

/**
 * Returns how the primary is updated: in place, after a switchover that makes it a replica, or only after the user has requested
 * another primary.
 */
export function primaryUpdate(
  cluster: ObservedCluster,
  primary: string,
): 'none' | 'in place' | 'switchover' | 'supervised' {
  const { members, updates } = cluster;
  const instance = members.find(({ name }) => name === primary);
  if (!instance || !(isOutdated(instance) || needsRestart(instance))) return 'none';
  const others = members.filter((each) => each !== instance);
  // Switching over would promote a replica that still has the higher value.
  if (instance.report?.lowersSetting) return updates === 'supervised' ? 'supervised' : 'in place';
  const isLast = others.every((each) => isWorking(each, primary) && !isOutdated(each) && !needsRestart(each));
  if (!isLast) return 'none';
  if (updates === 'supervised') return 'supervised';
  return others.length === 0 ? 'in place' : 'switchover';
}

function primaryStep(cluster: ObservedCluster, primary: ObservedInstance): RolloutStep | undefined {
  switch (primaryUpdate(cluster, primary.name)) {
    case 'in place':
      return step(primary);
    case 'supervised':
      return {
        do: 'wait',
        needsUser: true,
        why: `the primary ${primary.name} needs a restart; request a switchover, or set spec.updates to unsupervised`,
      };
    default:
      return undefined;
  }
}

function step(instance: ObservedInstance): RolloutStep {
  const { name } = instance;
  if (isOutdated(instance)) return { do: 'recreate', name, why: 'the image or the pod spec changed' };
  return { do: 'restart', name, why: 'a changed setting needs a restart' };
}

function blocked(broken: readonly ObservedInstance[]): RolloutStep {
  return {
    do: 'wait',
    why: `waiting for ${broken.map(({ name }) => name).join(', ')} to recover before the next restart`,
  };
}

function isOutdated({ pod }: ObservedInstance): boolean {
  return pod?.isOutdated === true && !pod.isDeleting;
}

function needsRestart({ report }: ObservedInstance): boolean {
  return report?.state === 'running' && report.pendingRestart;
}

function descending(a: ObservedInstance, b: ObservedInstance): number {
  return instanceNumber(b.name) - instanceNumber(a.name);
}
