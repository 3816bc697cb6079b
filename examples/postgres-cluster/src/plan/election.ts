import { lsnOf } from './lsn.ts';
import type { ObservedCluster, ObservedInstance } from './observed-cluster.ts';

/** The result of an election: the next primary, or the reason why there is none yet. */
export type Election = { readonly winner: string } | { readonly winner?: undefined; readonly why: string };

/**
 * Chooses the next primary: the replica with the most WAL on the newest timeline. Among equals, the requested one, then one whose
 * node is not being drained, then the lowest number.
 *
 * With synchronous replication, each acknowledged commit is on `synchronous` replicas. The newest reachable replica has all of them
 * only if fewer than that many replicas are missing.
 */
export function elect(cluster: ObservedCluster): Election {
  const { members, currentPrimary, synchronous, durability, requestedPrimary } = cluster;
  const candidates = members.filter((instance) => isCandidate(instance, cluster));
  const replicas = members.filter(({ name }) => name !== currentPrimary);
  const missing = replicas.length - candidates.filter(({ name }) => name !== currentPrimary).length;
  if (durability === 'required' && synchronous > 0 && missing >= synchronous) {
    return {
      why: `${missing} of ${replicas.length} replicas are missing, and commits need only ${synchronous} of them: any choice could lose commits`,
    };
  }
  const newest = Math.max(...candidates.map(timelineOf), cluster.timeline ?? 0);
  const [winner] = candidates
    .filter((instance) => timelineOf(instance) === newest)
    .sort(
      (a, b) =>
        compare(receivedOf(b), receivedOf(a)) ||
        Number(b.name === requestedPrimary) - Number(a.name === requestedPrimary) ||
        Number(isDraining(a)) - Number(isDraining(b)) ||
        compare(lsnOf(b.report?.replayedLSN), lsnOf(a.report?.replayedLSN)),
    );
  if (winner) return { winner: winner.name };
  if (candidates.length === 0) return { why: 'no replica can be promoted' };
  return { why: `no replica has reached timeline ${newest}, on which commits were acknowledged` };
}

/** True if an instance can be promoted: a running server in recovery, which is not fenced. */
export function isCandidate(
  { name, report, pod }: ObservedInstance,
  { fenced }: Pick<ObservedCluster, 'fenced'>,
): boolean {
  return (
    report?.state === 'running' &&
    !report.isPrimary &&
    !report.isDiskFull &&
    lsnOf(report.receivedLSN) >= 0n &&
    pod?.isDeleting !== true &&
    !fenced.includes(name)
  );
}

function timelineOf({ report }: ObservedInstance): number {
  return report?.timeline ?? 0;
}

function receivedOf({ report }: ObservedInstance): bigint {
  return lsnOf(report?.receivedLSN);
}

function isDraining({ pod }: ObservedInstance): boolean {
  return pod?.isOnCordonedNode === true;
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
