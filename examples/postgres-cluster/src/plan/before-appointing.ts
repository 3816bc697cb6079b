import { lsnOf } from '../lsn.ts';
import type { ObservedCluster, ObservedInstance, ObservedLease, ObservedPod } from './observed-cluster.ts';

/** A reason against appointing an election's winner now: wait, or appoint the former primary again. */
export type Objection =
  | { readonly do: 'wait'; readonly why: string }
  | { readonly do: 'return'; readonly former: string; readonly why: string };

/**
 * `report`: maximum time for which a primary that a switchover has stopped may be unreachable. `comparison`: maximum
 * time for which an election waits for replicas whose WAL cannot be compared yet.
 */
const patienceMs = { report: 60_000, comparison: 30_000 };

/**
 * Returns why the winner of an election must not be appointed yet, or undefined if it can be appointed. A quorum makes
 * every election safe. Without one, a switchover appoints only an instance with all WAL up to the former primary's
 * shutdown checkpoint, and a failover waits for a while for replicas that may have more WAL than the winner.
 */
export function objectionTo(winner: string, cluster: ObservedCluster): Objection | undefined {
  const { members, quorums, forcedPrimary, switchoverFrom, currentPrimary, nowMs, targetSinceMs = 0 } = cluster;
  if (quorums.length > 0 || winner === forcedPrimary) return undefined;
  const former = members.find(({ name }) => name === currentPrimary);
  const waitedMs = nowMs - targetSinceMs;
  if (former && former.name === switchoverFrom) {
    const { report } = former;
    const received = members.find(({ name }) => name === winner)?.report?.receivedLSN;
    if (report?.shutdownLSN !== undefined && lsnOf(received) >= lsnOf(report.shutdownLSN)) return undefined;
    if (report?.data !== undefined && canStart(former, cluster)) {
      const why =
        report?.shutdownLSN === undefined
          ? `the server of ${former.name} did not stop cleanly`
          : `${winner} lacks the last WAL of ${former.name}`;
      return { do: 'return', former: former.name, why };
    }
    const isKnown = report?.data !== undefined && former.pod?.isDeleting !== true;
    if (!isKnown && hasVolume(former) && waitedMs < patienceMs.report) {
      return { do: 'wait', why: `waiting for the last WAL position of ${former.name}` };
    }
  }
  const unknown = members.filter((each) => each !== former && isComparableSoon(each, cluster));
  if (unknown.length === 0 || waitedMs >= patienceMs.comparison) return undefined;
  return { do: 'wait', why: `waiting for the WAL position of ${unknown.map(({ name }) => name).join(', ')}` };
}

/** Returns true if a stopped primary can start again. */
export function canStart(
  { name, pod, report }: ObservedInstance,
  { fenced }: Pick<ObservedCluster, 'fenced'>,
): boolean {
  return report !== undefined && report.state !== 'failed' && pod?.isDeleting !== true && !fenced.includes(name);
}

/**
 * Returns true if an instance may become a candidate soon: it cannot be reached, is starting, or is replaying WAL that
 * it had before.
 */
function isComparableSoon(instance: ObservedInstance, { fenced, lease }: ObservedCluster): boolean {
  const { name, pod, report } = instance;
  if (!pod || pod.isDeleting || pod.hasEnded || !hasVolume(instance) || fenced.includes(name)) return false;
  if (report === undefined) return !wasDownBefore(pod, lease);
  if (report.data === 'empty' || report.data === 'unusable') return false;
  return report.state === 'starting' || (report.state === 'running' && report.isAtEnd === false);
}

/**
 * Returns true if a pod's containers had not run for a while when the last primary renewed its Lease, for example
 * because the image cannot be pulled. The pod's instance cannot have the newest WAL, so an election does not wait for
 * it.
 */
function wasDownBefore({ notRunningSinceMs }: ObservedPod, { renewedMs }: ObservedLease): boolean {
  return (
    notRunningSinceMs !== undefined && renewedMs !== undefined && renewedMs - notRunningSinceMs >= patienceMs.comparison
  );
}

function hasVolume({ claim }: ObservedInstance): boolean {
  return claim !== undefined && !claim.isLost && !claim.isDeleting;
}
