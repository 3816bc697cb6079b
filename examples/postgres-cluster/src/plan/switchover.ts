import { isCandidate } from './election.ts';
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
