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
  const claim = { size: '1Gi', isLost: false, isDeleting: false };
  return {
    name,
    ...(parts.claim !== null && { claim: { ...claim, ...parts.claim } }),
    ...(parts.pod !== null && { pod: { ...pod, ...parts.pod } }),
    ...(parts.report !== null && { report: { ...report(name), ...own, ...parts.report } }),
  };
}

/** A primary that works; null stands for a part that is missing. */
export const primary = (name: string, parts: Parts = {}): ObservedInstance =>
  instance(name, parts, { isPrimary: true, isReceiving: false });

/** A replica that streams. */
export const replica = (name: string, parts: Parts = {}): ObservedInstance => instance(name, parts, {});

/** A replica that runs, and receives nothing. */
export const detached = (name: string, parts: Parts = {}): ObservedInstance =>
  instance(name, parts, { isReceiving: false, isReady: false });

/** An instance whose server has stopped. */
export const stopped = (name: string, parts: Parts = {}): ObservedInstance =>
  instance(name, parts, { state: 'waiting', isReceiving: false, isReady: false });

/** A primary whose server died. */
export const dead = (name: string, parts: Parts = {}): ObservedInstance =>
  instance(name, parts, { state: 'waiting', hasDied: true, isReceiving: false, isReady: false });

/** An instance that cannot be reached. */
export const silent = (name: string, parts: Parts = {}): ObservedInstance => instance(name, { ...parts, report: null }, {});

/** The quorum of a cluster whose primary is shop-1, and whose replicas are shop-2 and shop-3. */
export const quorum = (standbyNumber: number, standbyNames: readonly string[] = ['shop-2', 'shop-3']): FailoverQuorum => ({
  standbyNumber,
  standbyNames,
});

/** A cluster of three, of which shop-1 is the primary and holds the Lease. */
export function cluster(rest: Partial<ObservedCluster> = {}): ObservedCluster {
  return {
    name: 'shop',
    instances: 3,
    quorums: [],
    updates: 'unsupervised',
    failoverDelaySeconds: 0,
    storageSize: '1Gi',
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
