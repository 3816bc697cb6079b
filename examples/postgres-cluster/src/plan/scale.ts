import { instanceName, instanceNumber } from '../spec/cluster-names.ts';
import { isWorking, type ObservedCluster, type ObservedInstance } from './observed-cluster.ts';

/** A change of the set of instances. */
export type ScaleStep =
  /** Creates a claim and a pod. */
  | { readonly do: 'create'; readonly name: string }
  /** Creates the pod of an existing claim. */
  | { readonly do: 'start'; readonly name: string }
  /** Deletes a pod, and keeps the claim. */
  | { readonly do: 'stop'; readonly name: string; readonly why: string }
  /** Removes an instance: deletes its pod, and its claim if the policy says so. */
  | { readonly do: 'remove'; readonly name: string; readonly why: string };

/**
 * Returns the changes that bring the instances to the desired number. The number of an instance is never used again. Replicas are
 * created once a primary works, whether backups succeed or not. The current and the target primary are never removed.
 */
export function scale(cluster: ObservedCluster): readonly ScaleStep[] {
  const { members, isHibernated, targetPrimary } = cluster;
  if (isHibernated) {
    const stopped = members.filter(({ pod, report }) => pod && !pod.isDeleting && report?.state !== 'running');
    return stopped.map(({ name }) => ({ do: 'stop', name, why: 'the cluster is hibernated' }));
  }
  const kept = members.filter((each) => !isRemovable(each, cluster));
  return [
    ...members.filter((each) => !kept.includes(each)).map(removal),
    ...kept.filter(({ pod }) => pod?.hasEnded && !pod.isDeleting).map(({ name }) => ended(name)),
    // Kubernetes replaces a pod only after it is gone.
    ...kept
      .filter(({ pod, claim }) => !pod && !claim?.isDeleting)
      .map(({ name }): ScaleStep => ({ do: 'start', name })),
    ...(targetPrimary === '' ? [] : resize(cluster, kept)),
  ];
}

function resize(cluster: ObservedCluster, kept: readonly ObservedInstance[]): readonly ScaleStep[] {
  const { name, instances, targetPrimary, currentPrimary, lastInstance } = cluster;
  if (kept.length === 0) {
    // The cluster is new, or all its volumes are gone: then only a restore helps, which the instance reports.
    return currentPrimary === undefined ? [{ do: 'create', name: targetPrimary ?? instanceName(name, 1) }] : [];
  }
  const primary = kept.find((each) => each.name === currentPrimary);
  if (!primary || currentPrimary !== targetPrimary || !isWorking(primary, currentPrimary)) return [];
  if (kept.length < instances) {
    const missing = Array.from({ length: instances - kept.length }, (_, index) => lastInstance + 1 + index);
    return missing.map((number) => ({ do: 'create', name: instanceName(name, number) }));
  }
  // One at a time: each removal changes the number of replicas that commits wait for.
  const [last] = kept
    .filter((each) => each !== primary)
    .sort((a, b) => instanceNumber(b.name) - instanceNumber(a.name));
  if (kept.length === instances || !last) return [];
  return [{ do: 'remove', name: last.name, why: `spec.instances is ${instances}` }];
}

/** True for a replica without its volume: a new one is cloned instead. */
function isRemovable({ name, claim }: ObservedInstance, { targetPrimary, currentPrimary }: ObservedCluster): boolean {
  if (name === targetPrimary || name === currentPrimary) return false;
  return claim === undefined || claim.isLost || claim.isDeleting;
}

function removal({ name }: ObservedInstance): ScaleStep {
  return { do: 'remove', name, why: 'its volume is gone' };
}

function ended(name: string): ScaleStep {
  return { do: 'stop', name, why: 'its pod has ended' };
}
