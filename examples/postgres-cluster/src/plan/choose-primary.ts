import { instanceName } from '../spec/cluster-names.ts';
import { canStart, objectionTo } from './before-appointing.ts';
import { elect, isCandidate } from './election.ts';
import { holdsLease, type ObservedCluster, type ObservedInstance } from './observed-cluster.ts';
import { electAmongVolumes } from './retained-volumes.ts';
import { switchoverDelay, switchoverReason } from './switchover.ts';

/** The operator's decision about the primary. `phase` and `why` are written to the status. */
export type PrimaryDecision =
  /** The primary stays. */
  | { readonly do: 'keep'; readonly phase?: string; readonly why?: string; readonly isFailing?: boolean }
  /** Nothing to do until the state changes. */
  | { readonly do: 'wait'; readonly phase: string; readonly why: string }
  /** Clears `targetPrimary`: the primary stops, and an election begins. */
  | { readonly do: 'stop'; readonly phase: string; readonly why: string; readonly isSwitchover?: true }
  /** Sets `targetPrimary`: the instance acquires the Lease, and promotes its server. */
  | {
      readonly do: 'appoint';
      readonly name: string;
      readonly phase: string;
      readonly why: string;
      /** True if a switchover ends with the former primary. */
      readonly isFailedSwitchover?: true;
    };

/** Cluster phases while the primary changes. */
const primaryPhases = {
  setUp: 'Setting up primary',
  failover: 'Failing over',
  switchover: 'Switchover in progress',
  delayed: 'Switchover delayed',
  promotion: 'Promoting primary',
  user: 'Waiting for user action',
} as const;

/**
 * `promotion`: maximum time for which an appointed primary may be unreachable. `start`: maximum time for which failover
 * waits for a stopped primary to restart.
 */
const patienceMs = { promotion: 10_000, start: 60_000 };

/**
 * Decides which instance is the primary. A switchover and a failover take the same three steps. First, the operator clears the
 * target, so the primary loses its role and stops. Then, once the Lease is free and no replica receives WAL, it appoints the
 * replica with the most WAL. Finally, that replica acquires the Lease, promotes its server, and becomes `currentPrimary`.
 */
export function choosePrimary(cluster: ObservedCluster): PrimaryDecision {
  const { targetPrimary, currentPrimary, members } = cluster;
  const primaries = members.filter(({ report }) => report?.isPrimary);
  if (primaries.length > 1) {
    const names = primaries.map(({ name }) => name).join(' and ');
    return { do: 'wait', phase: primaryPhases.failover, why: `${names} are both primaries; waiting for one to stop` };
  }
  if (targetPrimary === undefined) return first(cluster);
  if (targetPrimary === '') return election(cluster);
  return targetPrimary === currentPrimary ? steady(cluster, targetPrimary) : promotion(cluster, targetPrimary);
}

/** Appoints instance 1 of a new cluster. If volumes of an earlier cluster of this name exist, an election compares them first. */
function first({ name, members }: ObservedCluster): PrimaryDecision {
  if (members.length > 0) {
    return { do: 'stop', phase: primaryPhases.setUp, why: 'volumes of an earlier cluster with this name exist' };
  }
  return { do: 'appoint', name: instanceName(name, 1), phase: primaryPhases.setUp, why: 'the cluster is new' };
}

function election(cluster: ObservedCluster): PrimaryDecision {
  const { members, lease, currentPrimary } = cluster;
  const phase = currentPrimary === undefined ? primaryPhases.setUp : primaryPhases.failover;
  const wait = (why: string): PrimaryDecision => ({ do: 'wait', phase, why });
  const running = members.find(({ report }) => report?.isPrimary);
  if (running) return wait(`waiting for ${running.name} to stop`);
  if (lease.holder !== undefined && !lease.isExpired)
    return wait(`waiting until ${lease.holder} releases the Lease, or the Lease expires`);
  const receiving = members.filter(({ report }) => report?.isReceiving);
  if (receiving.length > 0) {
    return wait(`waiting for ${receiving.map(({ name }) => name).join(', ')} to stop receiving WAL`);
  }
  const { winner, ...rest } = currentPrimary === undefined ? electAmongVolumes(cluster) : elect(cluster);
  if (winner !== undefined) {
    const objection = currentPrimary === undefined ? undefined : objectionTo(winner, cluster);
    if (objection?.do === 'wait') return wait(objection.why);
    if (objection?.do === 'return') {
      const { former: name, why } = objection;
      return { do: 'appoint', name, phase: primaryPhases.promotion, why, isFailedSwitchover: true };
    }
    const isForced = winner === cluster.forcedPrimary;
    const found =
      currentPrimary === undefined && cluster.members.every(({ report }) => report?.data === 'empty')
        ? 'no volume has data'
        : `${winner} has the most WAL`;
    const why = isForced ? `a user forced the promotion of ${winner}, so commits that it lacks are lost` : found;
    return { do: 'appoint', name: winner, phase: primaryPhases.promotion, why };
  }
  const why = 'why' in rest ? rest.why : '';
  const former = members.find(({ name }) => name === currentPrimary);
  if (!former || !canStart(former, cluster)) return wait(why);
  // No replica can take over safely. The former primary's data has every commit, so it may become the primary again.
  const reason = `${former.name} was the primary and has every commit; no replica can take over: ${why}`;
  const isFailedSwitchover = former.name === cluster.switchoverFrom;
  return {
    do: 'appoint',
    name: former.name,
    phase: primaryPhases.promotion,
    why: reason,
    ...(isFailedSwitchover && { isFailedSwitchover }),
  };
}

function promotion(cluster: ObservedCluster, target: string): PrimaryDecision {
  const instance = cluster.members.find(({ name }) => name === target);
  const isNew = cluster.currentPrimary === undefined;
  const phase = isNew ? primaryPhases.setUp : primaryPhases.promotion;
  const { report } = instance ?? {};
  const obstacle = report?.state === 'failed' ? (report.message ?? 'the server failed') : obstacleOf(instance);
  const isSlow =
    instance?.pod !== undefined && !report && cluster.nowMs - (cluster.targetSinceMs ?? 0) < patienceMs.promotion;
  if (isNew && report?.restoreError !== undefined && cluster.forcedPrimary === undefined)
    return { do: 'wait', phase: primaryPhases.user, why: `${target}: ${report.restoreError}` };
  if (obstacle === undefined || isSlow)
    return { do: 'wait', phase, why: report?.message ?? `waiting for ${target} to become the primary` };
  // An instance that holds the Lease may already be promoted, so no other instance may be promoted.
  const isForced = cluster.forcedPrimary !== undefined && cluster.forcedPrimary !== target;
  if ((isNew && !isForced) || holdsLease(cluster, target)) return { do: 'wait', phase, why: `${target}: ${obstacle}` };
  return { do: 'stop', phase: primaryPhases.failover, why: `${target} cannot become the primary: ${obstacle}` };
}

function steady(cluster: ObservedCluster, primary: string): PrimaryDecision {
  const { members, nowMs, failingSinceMs, failoverDelaySeconds } = cluster;
  const instance = members.find(({ name }) => name === primary);
  if (cluster.isHibernated) return { do: 'keep', phase: 'Hibernated' };
  if (cluster.fenced.includes(primary)) {
    return { do: 'keep', phase: 'Fenced', why: `${primary} is the primary and is fenced` };
  }
  if (instance?.report?.isDiskFull) {
    // A failover would not help, because a replica's volume would fill up as well. Growing the volume helps.
    return {
      do: 'keep',
      phase: 'Not enough disk space',
      why: `the volume of ${primary} is full; increase spec.storage.size`,
    };
  }
  if (!isFailing(cluster, { primary, instance })) {
    const why = switchoverReason(cluster, primary);
    if (why === undefined) return { do: 'keep' };
    // Without a winner, a stopped primary would only be appointed again.
    const election = elect(cluster);
    const obstacle = election.winner === undefined ? election.why : switchoverDelay(cluster, primary);
    if (obstacle !== undefined) return { do: 'keep', phase: primaryPhases.delayed, why: `${why}; ${obstacle}` };
    return { do: 'stop', phase: primaryPhases.switchover, why, isSwitchover: true };
  }
  const since = failingSinceMs ?? nowMs;
  const why = `${primary} is no longer the primary: ${instance?.report?.message ?? obstacleOf(instance) ?? 'the instance lost the Lease'}`;
  const startMs = isStarting(cluster, { primary, instance }) ? patienceMs.start : 0;
  const delayMs = failoverDelaySeconds > 0 ? failoverDelaySeconds * 1000 : startMs;
  const hasReplica = members.some((each) => each.name !== primary && isCandidate(each, cluster));
  const election = elect(cluster);
  const isForced = election.winner !== undefined && election.winner === cluster.forcedPrimary;
  const isDue = isForced || nowMs - since >= delayMs;
  if (isDue && hasReplica && election.winner !== undefined) {
    // A pod that is deleted stops its server cleanly, so the end of its WAL will be known.
    const isPlanned = instance?.pod?.isDeleting === true && instance.claim?.isLost !== true;
    return { do: 'stop', phase: primaryPhases.failover, why, ...(isPlanned && { isSwitchover: true as const }) };
  }
  const wait =
    election.winner === undefined ? election.why : `waiting up to ${delayMs / 1000} s for ${primary} to recover`;
  const reason = hasReplica ? wait : 'no replica can take over';
  return { do: 'keep', phase: 'Primary unavailable', why: `${why}; ${reason}`, isFailing: true };
}

interface Primary {
  readonly primary: string;
  readonly instance: ObservedInstance | undefined;
}

/**
 * Decides by the Lease whether the primary has failed. A primary that renews the Lease accepts writes, even if the operator
 * cannot reach it; without the Lease, it must not.
 */
function isFailing(cluster: ObservedCluster, { primary, instance }: Primary): boolean {
  if (instance === undefined || instance.claim?.isLost || instance.claim?.isDeleting) return true;
  return !holdsLease(cluster, primary) && instance.report?.isPrimary !== true;
}

/**
 * Returns true if the primary stopped cleanly and may be restarting, for example because its pod was recreated or its
 * fencing ended. Its data is the newest, so waiting is worthwhile.
 */
function isStarting({ lease, nowMs }: ObservedCluster, { primary, instance }: Primary): boolean {
  const { pod, report, claim } = instance ?? {};
  if (lease.holder === primary || !pod || pod.isDeleting || pod.hasEnded) return false;
  if (!claim || claim.isLost || claim.isDeleting) return false;
  if (report) return !report.hasDied && report.state !== 'failed';
  return nowMs - pod.createdMs < patienceMs.start;
}

function obstacleOf(instance: ObservedInstance | undefined): string | undefined {
  if (instance === undefined) return 'the instance does not exist';
  if (instance.claim === undefined || instance.claim.isLost || instance.claim.isDeleting) return 'the volume is gone';
  if (instance.pod === undefined) return 'the pod is gone';
  if (instance.pod.isDeleting) return 'the pod is being deleted';
  if (instance.pod.hasEnded) return 'the pod has terminated';
  return instance.report === undefined ? 'the instance cannot be reached' : undefined;
}
