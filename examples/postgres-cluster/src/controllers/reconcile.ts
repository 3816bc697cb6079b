import type { Stored } from '@kubewright/apimachinery';
import type { DesiredState, ReconcileContext } from '@kubewright/runtime';
import type { PostgresCluster } from '../api/v1/postgres-cluster.ts';
import type { ObservedClusters } from '../metrics/observed-clusters.ts';
import { choosePrimary, type PrimaryDecision } from '../plan/choose-primary.ts';
import { stopForUpgrade } from '../plan/major-upgrade.ts';
import type { ObservedCluster } from '../plan/observed-cluster.ts';
import { nextRolloutStep } from '../plan/rollout.ts';
import { scale } from '../plan/scale.ts';
import { claimsToGrow, claimsToMark } from '../plan/volumes.ts';
import { Attempts } from './attempts.ts';
import { ClusterChanges } from './carry-out.ts';
import { applyClusterObjects } from './cluster-objects.ts';
import { clusterConditions, clusterStatus, type Decisions, healthyPhase, upgradePhase } from './cluster-status.ts';
import { readObjects } from './cluster-watches.ts';
import type { InstanceClient } from './instance-client.ts';
import { InstancePoll } from './instance-poll.ts';
import { advanceUpgrade, type VersionState } from './major-upgrade.ts';
import { observeCluster } from './observe-cluster.ts';
import { OwnObjects } from './own-objects.ts';
import { failedRequestOf, forgetRequests, recordDecisions } from './primary-requests.ts';
import type { SeenLeases } from './seen-leases.ts';

export interface ReconcileOptions {
  /** Image of the instances, without a tag. */
  readonly image: string;
  readonly instances: InstanceClient;
  readonly leases: SeenLeases;
  readonly metrics: ObservedClusters;
}

/** Interval between polls of the instances: for a healthy cluster, and during changes. */
const pollMs = { healthy: 5_000, changing: 500 };

/** Reads a cluster's objects and its instances' reports, decides, and carries out the decisions. */
export async function reconcile(
  cluster: Stored<PostgresCluster>,
  ctx: ReconcileContext<PostgresCluster>,
  { image, instances, leases, metrics }: ReconcileOptions,
): Promise<DesiredState<PostgresCluster>> {
  const own = new OwnObjects(cluster, ctx);
  const attempts = new Attempts(ctx);
  if (!cluster.spec.paused) {
    await attempts.make('apply the objects of the cluster', () => applyClusterObjects(cluster, { ctx, own }));
  }
  const poll = new InstancePoll(cluster, { ctx, instances });
  const found = await readObjects(cluster, ctx);
  const { pods, claims } = found;
  const leaseExpiresInMs = found.lease && leases.expiresInMs(found.lease);
  const objects = { ...found, leaseExpiresInMs, image, nowMs: ctx.clock.now() };
  const before = observeCluster(cluster, { ...objects, reports: await poll.reports(pods) });
  const version = await advanceUpgrade(cluster, { ctx, own, attempts, image, observed: before, pods });
  const primary = decidePrimary(cluster, { observed: before, version });
  const observed = withTarget(before, primary);
  const isChanging = observed.targetPrimary !== before.targetPrimary || cluster.spec.paused === true;
  const decisions = await decideChanges(observed, { own, primary, version, isChanging });
  const changes = new ClusterChanges(cluster, { ctx, own, image, attempts, archiveOwner: observed.archiveOwner });
  const result = (failedRequest?: string) => ({
    status: {
      ...clusterStatus(cluster, { observed, decisions, created: changes.created }),
      ...version.status,
      ...(failedRequest !== undefined && { failedRequest }),
    },
    conditions: clusterConditions(cluster, { observed, decisions, failures: attempts.failures }),
  });
  if (cluster.spec.paused) return { ...result(observed.failedRequest), requeueAfterMs: pollMs.healthy };
  recordDecisions(decisions, ctx);
  await changes.setRoles(pods, observed);
  await changes.mark(claimsToMark(observed));
  await changes.grow(claimsToGrow(observed), observed.storageSize);
  await changes.scale(decisions.scale);
  await changes.deleteRemoved(claims, observed.quorums);
  await changes.update(decisions.rollout, (name) => poll.restart(pods, name));
  const forget = () => forgetRequests(observed, { primary, ctx });
  const isForgotten = await attempts.make('remove the request for a primary', forget);
  const { status, conditions } = result(isForgotten ? undefined : failedRequestOf(observed, primary));
  const { namespace = '' } = cluster.metadata;
  const isHealthy = status.phase === healthyPhase;
  metrics.record({ namespace, observed, isHealthy, rollout: decisions.rollout, status });
  const leaseMs = leaseExpiresInMs ?? pollMs.healthy;
  // While a change fails, only decisions about the primary are urgent.
  const isUrgent = attempts.failures.length === 0 ? !isHealthy : primary.phase !== undefined;
  const intervalMs = isUrgent ? pollMs.changing : pollMs.healthy;
  return { status, conditions, requeueAfterMs: Math.min(intervalMs, leaseMs + 50) };
}

/** Decides everything but the primary. A changed target primary must take effect first. */
async function decideChanges(
  observed: ObservedCluster,
  {
    own,
    primary,
    version,
    isChanging,
  }: {
    readonly own: OwnObjects;
    readonly primary: PrimaryDecision;
    readonly version: VersionState;
    readonly isChanging: boolean;
  },
): Promise<Decisions> {
  const planned = version.isDown ? stopForUpgrade(observed) : scale(observed);
  const steps = isChanging ? [] : await own.permitted(planned);
  const { foreign } = own;
  const rolls = !isChanging && !version.isDown && primary.do === 'keep' && !primary.isFailing && foreign.length === 0;
  const rollout = rolls ? nextRolloutStep(observed) : undefined;
  return { primary, scale: steps, rollout, foreign, upgrade: version.step };
}

/** Decides which instance is the primary. While a major upgrade has stopped the servers, there is no failover. */
function decidePrimary(
  { spec }: Stored<PostgresCluster>,
  { observed, version }: { readonly observed: ObservedCluster; readonly version: VersionState },
): PrimaryDecision {
  if (spec.paused) return { do: 'keep', phase: 'Paused' };
  if (!version.isDown) return choosePrimary(observed);
  const { step } = version;
  return { do: 'keep', phase: upgradePhase, ...('why' in step && { why: step.why }) };
}

function withTarget(observed: ObservedCluster, primary: PrimaryDecision): ObservedCluster {
  if (primary.do === 'stop') return { ...observed, targetPrimary: '' };
  return primary.do === 'appoint' ? { ...observed, targetPrimary: primary.name } : observed;
}
