import { instanceName, instanceNumber } from '../spec/cluster-names.ts';
import { isWorking, type ObservedCluster, type ObservedInstance } from './observed-cluster.ts';

/** A change of the set of instances. */
export type ScaleStep =
  /** Creates an instance's claim and pod. */
  | { readonly do: 'create'; readonly name: string }
  /** Creates the pod of an existing claim. */
  | { readonly do: 'start'; readonly name: string }
  /** Deletes the pod, and keeps the claim. */
  | { readonly do: 'stop'; readonly name: string; readonly why: string }
  /** Removes an instance: deletes its pod, and its claim if the deletion policy is `Delete`. */
  | { readonly do: 'remove'; readonly name: string; readonly why: string };

/**
 * Returns the steps that scale the cluster to the desired number of instances. Instance numbers are never reused. Replicas are
 * created once the primary works, even if backups fail. The current and the target primary are never removed.
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
    // A pod can be recreated only after the old pod is gone.
    ...kept
      .filter(({ pod, claim }) => !pod && !claim?.isDeleting)
      .map(({ name }): ScaleStep => ({ do: 'start', name })),
    ...(targetPrimary === '' ? [] : resize(cluster, kept)),
  ];
}

function resize(cluster: ObservedCluster, kept: readonly ObservedInstance[]): readonly ScaleStep[] {
  const { name, instances, targetPrimary, currentPrimary, lastInstance } = cluster;
  if (kept.length === 0) {
    // Without a primary, the cluster is new. Otherwise, all its volumes are gone, and it can only be restored.
    return currentPrimary === undefined ? [{ do: 'create', name: targetPrimary ?? instanceName(name, 1) }] : [];
  }
  const primary = kept.find((each) => each.name === currentPrimary);
  if (!primary || currentPrimary !== targetPrimary || !isWorking(primary, currentPrimary)) return [];
  if (kept.length < instances) {
    const missing = Array.from({ length: instances - kept.length }, (_, index) => lastInstance + 1 + index);
    return missing.map((number) => ({ do: 'create', name: instanceName(name, number) }));
  }
  // Removes one instance at a time: each removal changes the synchronous quorum.
  const [last] = kept
    .filter((each) => each !== primary)
    .sort((a, b) => instanceNumber(b.name) - instanceNumber(a.name));
  if (kept.length === instances || !last) return [];
  return [{ do: 'remove', name: last.name, why: `spec.instances is ${instances}` }];
}

/** Returns true for a replica whose volume is gone: a new replica is cloned instead. */
function isRemovable({ name, claim }: ObservedInstance, { targetPrimary, currentPrimary }: ObservedCluster): boolean {
  if (name === targetPrimary || name === currentPrimary) return false;
  return claim === undefined || claim.isLost || claim.isDeleting;
}

function removal({ name }: ObservedInstance): ScaleStep {
  return { do: 'remove', name, why: 'the volume is gone' };
}

function ended(name: string): ScaleStep {
  return { do: 'stop', name, why: 'the pod has terminated' };
}
