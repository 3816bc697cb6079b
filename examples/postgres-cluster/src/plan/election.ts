import { lsnOf } from '../lsn.ts';
import { commitLossRisk } from './failover-quorum.ts';
import type { ObservedCluster, ObservedInstance } from './observed-cluster.ts';

/** The result of an election: the next primary, or the reason why there is none yet. */
export type Election = { readonly winner: string } | { readonly winner?: undefined; readonly why: string };

/**
 * Chooses the next primary: the replica with the most WAL on the newest timeline. Ties are broken by the user's
 * request, then by a node that is not being drained, then by the most replayed WAL, then by the lowest number.
 *
 * There is no winner while any choice could lose acknowledged commits, unless the user forces a winner.
 */
export function elect(cluster: ObservedCluster): Election {
  const { members, quorums, requestedPrimary, forcedPrimary } = cluster;
  const candidates = members.filter((instance) => isCandidate(instance, cluster));
  const names = candidates.map(({ name }) => name);
  if (forcedPrimary !== undefined && names.includes(forcedPrimary)) return { winner: forcedPrimary };
  const [risk] = quorums.flatMap((quorum) => commitLossRisk(quorum, { present: new Set(names) }) ?? []);
  if (risk !== undefined) return { why: risk };
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

/**
 * Returns true if an instance can be promoted: its server is running, in recovery and not fenced. A server that is
 * still replaying the WAL it had before a restart is not a candidate, because it has more WAL than it reports.
 */
export function isCandidate(
  { name, report, pod }: ObservedInstance,
  { fenced }: Pick<ObservedCluster, 'fenced'>,
): boolean {
  return (
    report?.state === 'running' &&
    !report.isPrimary &&
    report.isAtEnd !== false &&
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
