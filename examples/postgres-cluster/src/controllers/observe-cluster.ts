import { isDeleting, Quantity, type Stored } from '@kubewright/apimachinery';
import type { Lease } from '@kubewright/apimachinery/coordination/v1';
import type { Node, PersistentVolumeClaim, Pod } from '@kubewright/apimachinery/core/v1';
import type { FailoverQuorum, PostgresCluster } from '../api/v1/postgres-cluster.ts';
import type { InstanceReport } from '../instance/protocol.ts';
import type { ObservedCluster, ObservedInstance, ObservedLease, ObservedPod } from '../plan/observed-cluster.ts';
import { archiveOwnerAnnotation, archiveOwnerOf } from '../spec/archive-owner.ts';
import { instanceNumber } from '../spec/cluster-names.ts';
import { instancePodFor, specHashAnnotation } from '../spec/instance-pod.ts';
import { removedLabel } from '../spec/volume-claim.ts';

/** Annotation with the name of the instance that should become the primary. */
export const primaryAnnotation = 'database.db.example.com/primary';

/** Annotation with the name of the instance that should become the primary even if acknowledged commits are lost. */
export const forcedPrimaryAnnotation = 'database.db.example.com/forced-primary';

/** A cluster's objects from the caches, and its instances' reports. */
export interface ClusterObjects {
  readonly pods: readonly Stored<Pod>[];
  readonly claims: readonly Stored<PersistentVolumeClaim>[];
  readonly lease: Stored<Lease> | undefined;
  /** Undefined if the Lease has no holder. */
  readonly leaseExpiresInMs: number | undefined;
  readonly nodes: ReadonlyMap<string, Stored<Node>>;
  readonly reports: ReadonlyMap<string, InstanceReport>;
  readonly image: string;
  readonly nowMs: number;
}

/** Returns the state of a cluster that the decisions in `plan/` need. */
export function observeCluster(cluster: Stored<PostgresCluster>, objects: ClusterObjects): ObservedCluster {
  const { metadata, spec, status = {} } = cluster;
  const { replication = {}, fenced = [] } = spec;
  const members = observeInstances(cluster, objects);
  const requested = metadata.annotations?.[primaryAnnotation];
  const { primaryFailingSince: failing, targetPrimaryTime: targeted } = status;
  return {
    name: metadata.name,
    instances: spec.instances ?? 3,
    quorums: status.failoverQuorums ?? earlierQuorums(cluster, members),
    failoverDelaySeconds: replication.failoverDelaySeconds ?? 0,
    maxSwitchoverLagBytes: Math.ceil(Quantity.parse(replication.maxSwitchoverLag ?? '256Mi').toNumber()),
    updates: spec.updates ?? 'unsupervised',
    storageSize: spec.storage.size ?? '1Gi',
    archiveOwner: archiveOwnerOf(cluster, objects.claims),
    fenced,
    isHibernated: spec.hibernated ?? false,
    requestedPrimary: requested === status.failedRequest ? undefined : requested,
    failedRequest: requested === status.failedRequest ? requested : undefined,
    forcedPrimary: metadata.annotations?.[forcedPrimaryAnnotation],
    targetPrimary: status.targetPrimary,
    switchoverFrom: status.switchoverFrom,
    switchoverFailure: status.switchoverFailure,
    currentPrimary: status.currentPrimary,
    // A claim may exist that `status.lastInstance` does not include yet.
    lastInstance: Math.max(status.lastInstance ?? 0, ...members.map(({ name }) => instanceNumber(name))),
    timeline: status.timeline,
    ...(failing !== undefined && { failingSinceMs: Date.parse(failing) }),
    ...(targeted !== undefined && { targetSinceMs: Date.parse(targeted) }),
    lease: observeLease(objects),
    members,
    nowMs: objects.nowMs,
  };
}

/** Returns the quorum of a primary that does not publish one, because its instance manager predates that feature. */
function earlierQuorums(
  { spec, status }: Stored<PostgresCluster>,
  members: readonly ObservedInstance[],
): readonly FailoverQuorum[] {
  const { synchronous = 0, durability = 'required' } = spec.replication ?? {};
  if (synchronous === 0 || durability !== 'required') return [];
  const replicas = members.filter(({ name }) => name !== status?.currentPrimary);
  return [{ standbyNumber: synchronous, standbyNames: replicas.map(({ name }) => name) }];
}

function observeInstances(cluster: Stored<PostgresCluster>, objects: ClusterObjects): readonly ObservedInstance[] {
  const removed = new Set(objects.claims.filter(isRemoved).map(({ metadata }) => metadata.name));
  const claims = new Map(objects.claims.map((claim) => [claim.metadata.name, claim]));
  const pods = new Map(objects.pods.map((pod) => [pod.metadata.name, pod]));
  return [...new Set([...claims.keys(), ...pods.keys()])]
    .filter((name) => !removed.has(name))
    .sort((a, b) => instanceNumber(a) - instanceNumber(b))
    .map((name) => {
      const [claim, pod] = [claims.get(name), pods.get(name)];
      return {
        name,
        report: objects.reports.get(name),
        ...(pod && { pod: observePod(pod, { cluster, objects }) }),
        ...(claim && {
          claim: {
            size: claim.spec?.resources?.requests?.['storage'] ?? '0',
            isLost: claim.status?.phase === 'Lost',
            isDeleting: isDeleting(claim),
            archiveOwner: claim.metadata.annotations?.[archiveOwnerAnnotation],
          },
        }),
      };
    });
}

function observePod(
  pod: Stored<Pod>,
  { cluster, objects }: { readonly cluster: Stored<PostgresCluster>; readonly objects: ClusterObjects },
): ObservedPod {
  const { name, annotations } = pod.metadata;
  const wanted = instancePodFor(cluster, { instance: name, image: objects.image });
  const node = objects.nodes.get(pod.spec?.nodeName ?? '');
  const createdMs = Date.parse(pod.metadata.creationTimestamp ?? '');
  return {
    createdMs,
    notRunningSinceMs: notRunningSince(pod, createdMs),
    isDeleting: isDeleting(pod),
    hasEnded: pod.status?.phase === 'Failed' || pod.status?.phase === 'Succeeded',
    isOutdated: annotations?.[specHashAnnotation] !== wanted.metadata.annotations?.[specHashAnnotation],
    isOnCordonedNode: node?.spec?.unschedulable === true,
  };
}

/**
 * Returns the time since which no container of a pod has run, or undefined if one is running. The container need not be
 * ready: its server may still receive WAL. In a pod without the `Ready` condition, no container has ever run.
 */
function notRunningSince({ status }: Stored<Pod>, createdMs: number): number | undefined {
  if (status?.containerStatuses?.some(({ state }) => state?.running !== undefined)) return undefined;
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  if (ready?.status === 'True') return undefined;
  const changedMs = Date.parse(ready?.lastTransitionTime ?? '');
  return Number.isNaN(changedMs) ? createdMs : changedMs;
}

function observeLease({ lease, leaseExpiresInMs }: ClusterObjects): ObservedLease {
  const { holderIdentity: holder, renewTime } = lease?.spec ?? {};
  const renewed = renewTime === undefined ? {} : { renewedMs: Date.parse(renewTime) };
  return holder ? { holder, isExpired: leaseExpiresInMs === 0, ...renewed } : { isExpired: false, ...renewed };
}

function isRemoved({ metadata }: Stored<PersistentVolumeClaim>): boolean {
  return metadata.labels?.[removedLabel] !== undefined;
}
