import type { FailoverQuorum, SwitchoverFailure } from '../api/v1/postgres-cluster.ts';
import type { InstanceReport } from '../instance/protocol.ts';

/** The state that determines the operator's next step for a cluster. */
export interface ObservedCluster {
  readonly name: string;
  /** Desired number of instances. */
  readonly instances: number;
  /**
   * Every acknowledged commit satisfies at least one of these quorums. An election must be safe for all of them,
   * because it cannot know which quorum a commit satisfies.
   */
  readonly quorums: readonly FailoverQuorum[];
  readonly updates: 'unsupervised' | 'supervised';
  readonly failoverDelaySeconds: number;
  /** Lag of a streaming replica, in bytes of WAL, above which a switchover is delayed. */
  readonly maxSwitchoverLagBytes: number;
  readonly storageSize: string;
  /** ID under which the cluster archives WAL. */
  readonly archiveOwner: string;
  readonly fenced: readonly string[];
  readonly isHibernated: boolean;
  /** The instance that the user requested as the primary. */
  readonly requestedPrimary?: string | undefined;
  /** A request whose switchover failed, and whose annotation could not be removed yet. */
  readonly failedRequest?: string | undefined;
  /** The instance that the user chose as the primary, accepting the loss of acknowledged commits. */
  readonly forcedPrimary?: string | undefined;
  /** Undefined in a new cluster, empty while a primary is being chosen. */
  readonly targetPrimary?: string | undefined;
  /** Time at which `targetPrimary` was last changed. */
  readonly targetSinceMs?: number | undefined;
  /** The primary that a switchover has stopped. */
  readonly switchoverFrom?: string | undefined;
  readonly switchoverFailure?: SwitchoverFailure | undefined;
  readonly currentPrimary?: string | undefined;
  readonly lastInstance: number;
  readonly timeline?: number | undefined;
  /** Time at which the primary was first seen without the Lease. */
  readonly failingSinceMs?: number | undefined;
  readonly lease: ObservedLease;
  /** In ascending order of their numbers. */
  readonly members: readonly ObservedInstance[];
  readonly nowMs: number;
}

/** The Lease of the primary. */
export interface ObservedLease {
  /** Undefined if the Lease is free. */
  readonly holder?: string | undefined;
  readonly isExpired: boolean;
  /** Time at which a primary last renewed or released it. */
  readonly renewedMs?: number | undefined;
}

/** One instance: its claim, its pod and its report. */
export interface ObservedInstance {
  readonly name: string;
  readonly claim?: ObservedClaim | undefined;
  readonly pod?: ObservedPod | undefined;
  /** Undefined if the instance cannot be reached. */
  readonly report?: InstanceReport | undefined;
}

export interface ObservedClaim {
  /** Requested size. */
  readonly size: string;
  /** True if the volume no longer exists. */
  readonly isLost: boolean;
  readonly isDeleting: boolean;
  /** ID under which the cluster of this volume archives WAL. */
  readonly archiveOwner?: string | undefined;
}

export interface ObservedPod {
  readonly createdMs: number;
  readonly isDeleting: boolean;
  /** Time since which none of the pod's containers has run; undefined while one runs. */
  readonly notRunningSinceMs?: number | undefined;
  /** True if the pod failed or completed, for example because it was evicted. */
  readonly hasEnded: boolean;
  /** True if the pod differs from the pod that the operator would create now. */
  readonly isOutdated: boolean;
  /** True if the pod's node is cordoned, for example while it is being drained. */
  readonly isOnCordonedNode: boolean;
}

/** Returns true if the instance holds the Lease. Only this instance may then accept writes. */
export function holdsLease({ lease }: Pick<ObservedCluster, 'lease'>, name: string | undefined): boolean {
  return name !== undefined && lease.holder === name && !lease.isExpired;
}

/** Returns true if the instance is a replica that accepts connections and streams from the primary. */
export function isStreaming({ report, pod }: ObservedInstance): boolean {
  return report?.state === 'running' && report.isReady && report.isReceiving && !report.isPrimary && !pod?.isDeleting;
}

/** Returns true if an instance does its job: a primary accepts writes, a replica streams. */
export function isWorking(instance: ObservedInstance, primary: string | undefined): boolean {
  if (instance.name !== primary) return isStreaming(instance);
  return instance.report?.isPrimary === true && instance.report.isReady && !instance.pod?.isDeleting;
}
