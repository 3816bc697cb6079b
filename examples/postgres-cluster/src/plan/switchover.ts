import { lsnOf } from '../lsn.ts';
import { isCandidate } from './election.ts';
import { isStreaming, type ObservedCluster } from './observed-cluster.ts';
import { primaryUpdate } from './rollout.ts';
import { retryDelay } from './switchover-failure.ts';

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

/**
 * Returns why a needed switchover must wait: the last switchover failed a short time ago, or a replica lags too far
 * behind. Two switchovers do not wait after a failure: a requested one, which is tried only once, and one from a pod that
 * is being deleted, which stops in any case.
 */
export function switchoverDelay(cluster: ObservedCluster, primary: string): string | undefined {
  const { members, requestedPrimary, switchoverFailure, nowMs } = cluster;
  const isRequested = requestedPrimary !== undefined && requestedPrimary !== primary;
  const isDeleting = members.find(({ name }) => name === primary)?.pod?.isDeleting === true;
  const delay = isRequested || isDeleting ? undefined : retryDelay(switchoverFailure, { primary, nowMs });
  return delay ?? lagOf(cluster, primary);
}

/**
 * Returns the lag that delays a switchover, or undefined if no replica lags too far behind. All streaming replicas count, because a
 * primary waits for each of them when it stops.
 */
function lagOf({ members, maxSwitchoverLagBytes }: ObservedCluster, primary: string): string | undefined {
  const written = members.find(({ name }) => name === primary)?.report?.receivedLSN;
  if (written === undefined) return `${primary} cannot be reached, so the lag of the replicas is unknown`;
  const lagging = members.flatMap((each) => {
    const bytes = isStreaming(each) ? lsnOf(written) - lsnOf(each.report?.receivedLSN) : 0n;
    return bytes > BigInt(maxSwitchoverLagBytes) ? [`${each.name} is ${bytes / 1024n / 1024n} MiB behind`] : [];
  });
  return lagging.length > 0 ? lagging.join(', ') : undefined;
}
