import type { FailoverQuorum } from '../../api/v1/postgres-cluster.ts';
import type { InstanceReport } from '../../instance/protocol.ts';
import type { ObservedClaim, ObservedCluster, ObservedInstance, ObservedPod } from '../observed-cluster.ts';

type Parts = {
  readonly pod?: Partial<ObservedPod> | null;
  readonly claim?: Partial<ObservedClaim> | null;
  readonly report?: Partial<InstanceReport> | null;
};

const report = (name: string): InstanceReport => ({
  name,
  state: 'running',
  isPrimary: false,
  isReady: true,
  timeline: 1,
  receivedLSN: '0/3000000',
  replayedLSN: '0/3000000',
  isReceiving: true,
  pendingRestart: false,
  isDiskFull: false,
});

function instance(name: string, parts: Parts, own: Partial<InstanceReport>): ObservedInstance {
  const pod = { createdMs: 0, isDeleting: false, hasEnded: false, isOutdated: false, isOnCordonedNode: false };
  const claim = { size: '1Gi', isLost: false, isDeleting: false, archiveOwner: 'a' };
  return {
    name,
    ...(parts.claim !== null && { claim: { ...claim, ...parts.claim } }),
    ...(parts.pod !== null && { pod: { ...pod, ...parts.pod } }),
    ...(parts.report !== null && { report: { ...report(name), ...own, ...parts.report } }),
  };
}

/** Returns a working primary. A part that is null is missing. */
export const primary = (name: string, parts: Parts = {}): ObservedInstance =>
  instance(name, parts, { isPrimary: true, isReceiving: false });

/** Returns a replica that streams from the primary. */
export const replica = (name: string, parts: Parts = {}): ObservedInstance => instance(name, parts, {});

/** Returns a replica that runs but receives no WAL. */
export const detached = (name: string, parts: Parts = {}): ObservedInstance =>
  instance(name, parts, { isReceiving: false, isReady: false });

/** Returns an instance whose server has stopped. */
export const stopped = (name: string, parts: Parts = {}): ObservedInstance =>
  instance(name, parts, { state: 'waiting', isReceiving: false, isReady: false });

/** Returns a primary whose server has died. */
export const dead = (name: string, parts: Parts = {}): ObservedInstance =>
  instance(name, parts, { state: 'waiting', hasDied: true, isReceiving: false, isReady: false });

/** Returns an instance that cannot be reached. */
export const unreachable = (name: string, parts: Parts = {}): ObservedInstance => instance(name, { ...parts, report: null }, {});

/** Returns a failover quorum, by default of the replicas shop-2 and shop-3. */
export const quorum = (standbyNumber: number, standbyNames: readonly string[] = ['shop-2', 'shop-3']): FailoverQuorum => ({
  standbyNumber,
  standbyNames,
});

/** Returns a cluster of three working instances. The primary shop-1 holds the Lease. */
export function cluster(rest: Partial<ObservedCluster> = {}): ObservedCluster {
  return {
    name: 'shop',
    instances: 3,
    quorums: [],
    updates: 'unsupervised',
    failoverDelaySeconds: 0,
    maxSwitchoverLagBytes: 256 * 1024 ** 2,
    storageSize: '1Gi',
    archiveOwner: 'a',
    fenced: [],
    isHibernated: false,
    targetPrimary: 'shop-1',
    currentPrimary: 'shop-1',
    lastInstance: 3,
    timeline: 1,
    lease: { holder: 'shop-1', isExpired: false },
    members: [primary('shop-1'), replica('shop-2'), replica('shop-3')],
    nowMs: 1_000_000,
    ...rest,
  };
}
