import { isCandidate } from './election.ts';
import { lsnOf } from './lsn.ts';
import { isStreaming, type ObservedCluster } from './observed-cluster.ts';
import { primaryUpdate } from './rollout.ts';

/**
 * Returns why a working primary should hand over to a replica, or undefined if it should stay. A reason requires a streaming
 * replica that can take over immediately. The election may still find no winner, if no replica is certain to have every commit.
 */
export function switchoverReason(cluster: ObservedCluster, primary: string): string | undefined {
  const { members, requestedPrimary } = cluster;
  const ready = members.filter((each) => each.name !== primary && isStreaming(each) && isCandidate(each, cluster));
  if (ready.length === 0) return undefined;
  if (requestedPrimary !== undefined && ready.some(({ name }) => name === requestedPrimary)) {
    return `a switchover to ${requestedPrimary} was requested`;
  }
  const pod = members.find(({ name }) => name === primary)?.pod;
  if (pod?.isDeleting) return `the pod of ${primary} is being deleted`;
  if (pod?.isOnCordonedNode && ready.some((each) => !each.pod?.isOnCordonedNode)) {
    return `the node of ${primary} is being drained`;
  }
  return primaryUpdate(cluster, primary) === 'switchover' ? `${primary} needs a restart` : undefined;
}

/** Lag of a replica, in bytes of WAL, above which a switchover is delayed: clients would wait while the replica catches up. */
const maxLagBytes = 256n * 1024n * 1024n;

/**
 * Returns the lag that delays a switchover, or undefined if no replica lags too far behind. All streaming replicas count, because a
 * primary waits for each of them when it stops.
 */
export function lagOf({ members }: ObservedCluster, primary: string): string | undefined {
  const written = members.find(({ name }) => name === primary)?.report?.receivedLSN;
  if (written === undefined) return `${primary} cannot be reached, so the lag of the replicas is unknown`;
  const lagging = members.flatMap((each) => {
    const bytes = isStreaming(each) ? lsnOf(written) - lsnOf(each.report?.receivedLSN) : 0n;
    return bytes > maxLagBytes ? [`${each.name} lags ${bytes / 1024n / 1024n} MiB behind`] : [];
  });
  return lagging.length > 0 ? lagging.join(', ') : undefined;
}
