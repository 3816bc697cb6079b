import { type Clock, type Stored, systemClock } from '@kubewright/apimachinery';
import { Job } from '@kubewright/apimachinery/batch/v1';
import { Node, Secret, Service, ServiceAccount } from '@kubewright/apimachinery/core/v1';
import { PodDisruptionBudget } from '@kubewright/apimachinery/policy/v1';
import { Role, RoleBinding } from '@kubewright/apimachinery/rbac/v1';
import { type ControllerDefinition, controller, type DesiredState, type ReconcileContext } from '@kubewright/runtime';
import { PostgresCluster } from '../api/v1/postgres-cluster.ts';
import { choosePrimary, type PrimaryDecision } from '../plan/choose-primary.ts';
import { stopForUpgrade } from '../plan/major-upgrade.ts';
import type { ObservedCluster } from '../plan/observed-cluster.ts';
import { nextRolloutStep } from '../plan/rollout.ts';
import { scale } from '../plan/scale.ts';
import { claimsToGrow } from '../plan/volumes.ts';
import { Attempts } from './attempts.ts';
import { ClusterChanges } from './carry-out.ts';
import { applyClusterObjects } from './cluster-objects.ts';
import { clusterConditions, clusterStatus, type Decisions, healthyPhase, upgradePhase } from './cluster-status.ts';
import { clusterWatches, readObjects } from './cluster-watches.ts';
import { foreignMessage } from './foreign-objects.ts';
import { httpsInstances, type InstanceClient } from './instance-client.ts';
import { InstancePoll } from './instance-poll.ts';
import { advanceUpgrade, type VersionState } from './major-upgrade.ts';
import { forcedPrimaryAnnotation, observeCluster, primaryAnnotation } from './observe-cluster.ts';
import { clusterController, OwnObjects } from './own-objects.ts';
import { SeenLeases } from './seen-leases.ts';

export interface PostgresClusterOptions {
  /** Image with the PostgreSQL programs and the instance manager, without a tag. */
  readonly image: string;
  /** @defaultValue calls over HTTPS */
  readonly instances?: InstanceClient;
  /** Measures how long Leases have not been renewed. @defaultValue the system's clock */
  readonly clock?: Clock;
}

/** Interval between polls of the instances: for a healthy cluster, and during changes. */
const pollMs = { healthy: 5_000, changing: 500 };

/** Runs PostgreSQL clusters: manages their instances, and decides which one is the primary. */
export function postgresCluster(options: PostgresClusterOptions): ControllerDefinition {
  const leases = new SeenLeases(options.clock ?? systemClock);
  return controller({
    name: clusterController,
    for: PostgresCluster,
    owns: [Secret, ServiceAccount, Role, RoleBinding, Service, PodDisruptionBudget],
    watches: clusterWatches(leases),
    caches: [Node, Job],
    maxConcurrentReconciles: 10,
    finalizers: { 'database.db.example.com/volumes': deleteVolumes },
    reconcile: (cluster, ctx) => reconcile(cluster, ctx, { instances: httpsInstances, ...options, leases }),
  });
}

async function reconcile(
  cluster: Stored<PostgresCluster>,
  ctx: ReconcileContext<PostgresCluster>,
  {
    image,
    instances,
    leases,
  }: Required<Pick<PostgresClusterOptions, 'image' | 'instances'>> & { readonly leases: SeenLeases },
): Promise<DesiredState<PostgresCluster>> {
  const own = new OwnObjects(cluster, ctx);
  const attempts = new Attempts(ctx);
  if (!cluster.spec.paused) {
    await attempts.make('apply the objects of the cluster', () => applyClusterObjects(cluster, { ctx, own }));
  }
  const poll = new InstancePoll(cluster, { ctx, instances });
  const found = await readObjects(cluster, ctx);
  const leaseExpiresInMs = found.lease && leases.expiresInMs(found.lease);
  const objects = { ...found, leaseExpiresInMs, image, nowMs: ctx.clock.now() };
  const before = observeCluster(cluster, { ...objects, reports: await poll.reports(objects.pods) });
  const version = await advanceUpgrade(cluster, { ctx, own, attempts, image, observed: before, pods: objects.pods });
  const primary = decidePrimary(cluster, { observed: before, version });
  const observed = withTarget(before, primary);
  const isChanging = observed.targetPrimary !== before.targetPrimary || cluster.spec.paused;
  // A changed target primary must take effect before anything else is decided.
  const planned = version.isDown ? stopForUpgrade(observed) : scale(observed);
  const steps = isChanging ? [] : await own.permitted(planned);
  const { foreign } = own;
  const rolls = !isChanging && !version.isDown && primary.do === 'keep' && !primary.isFailing && foreign.length === 0;
  const decisions: Decisions = {
    primary,
    scale: steps,
    rollout: rolls ? nextRolloutStep(observed) : undefined,
    foreign,
    upgrade: version.step,
  };
  const changes = new ClusterChanges(cluster, { ctx, own, image, attempts });
  const result = () => ({
    status: { ...clusterStatus(cluster, { observed, decisions, created: changes.created }), ...version.status },
    conditions: clusterConditions(cluster, { observed, decisions, failures: attempts.failures }),
  });
  if (cluster.spec.paused) return { ...result(), requeueAfterMs: pollMs.healthy };
  record(primary, ctx);
  if (foreign.length > 0) {
    const note = foreignMessage(foreign, cluster.metadata.name);
    ctx.events.record({ type: 'Warning', reason: 'ForeignObject', note, series: note });
  }
  await changes.setRoles(objects.pods, observed);
  await changes.grow(claimsToGrow(observed), observed.storageSize);
  await changes.scale(decisions.scale);
  await changes.deleteRemoved(objects.claims, observed.quorums);
  await changes.update(decisions.rollout, (name) => poll.restart(objects.pods, name));
  await attempts.make('remove the request for a primary', () => forgetRequests(observed, { primary, ctx }));
  const { status, conditions } = result();
  const leaseMs = leaseExpiresInMs ?? pollMs.healthy;
  // While a change fails, only decisions about the primary are urgent.
  const isUrgent = attempts.failures.length === 0 ? status.phase !== healthyPhase : primary.phase !== undefined;
  const intervalMs = isUrgent ? pollMs.changing : pollMs.healthy;
  return { status, conditions, requeueAfterMs: Math.min(intervalMs, leaseMs + 50) };
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

function record(primary: PrimaryDecision, { events }: ReconcileContext<PostgresCluster>): void {
  if (primary.do === 'appoint') {
    const note = `chose ${primary.name} as the primary: ${primary.why}`;
    events.record({ reason: 'PrimaryChosen', note, series: note });
    if (primary.isFailedSwitchover) {
      const failure = `${primary.name} becomes the primary again: ${primary.why}`;
      events.record({ type: 'Warning', reason: 'SwitchoverFailed', note: failure, series: failure });
    }
  }
  if (primary.do !== 'stop') return;
  const isFailover = primary.phase === 'Failing over';
  const [type, reason] = isFailover ? (['Warning', 'FailingOver'] as const) : (['Normal', 'SwitchingOver'] as const);
  events.record({ type, reason, note: primary.why, series: primary.why });
}

/**
 * Removes annotations that request a primary once they are fulfilled or no longer apply, so that they do not affect a later
 * failover.
 */
async function forgetRequests(
  { requestedPrimary, forcedPrimary, currentPrimary, targetPrimary }: ObservedCluster,
  { primary, ctx }: { readonly primary: PrimaryDecision; readonly ctx: ReconcileContext<PostgresCluster> },
): Promise<void> {
  if (currentPrimary === undefined || currentPrimary !== targetPrimary) return;
  const isForgotten = forcedPrimary !== undefined && primary.do === 'keep' && !primary.isFailing;
  if (isForgotten && forcedPrimary !== currentPrimary) {
    const note = `ignored the forced promotion of ${forcedPrimary}, because the primary ${currentPrimary} works; request a switchover instead`;
    ctx.events.record({ type: 'Warning', reason: 'ForcedPrimaryIgnored', note });
  }
  // A request is tried once. After a failure, the user decides whether to try again.
  const isTried = requestedPrimary !== undefined && primary.do === 'appoint' && primary.isFailedSwitchover === true;
  const annotations = {
    ...((isTried || requestedPrimary === currentPrimary) && { [primaryAnnotation]: null }),
    ...(isForgotten && { [forcedPrimaryAnnotation]: null }),
  };
  if (Object.keys(annotations).length === 0) return;
  const body = { metadata: { annotations } };
  await ctx.client.resource(PostgresCluster).patch(ctx.request, { type: 'merge', body });
}

/** Deletes the volumes of a deleted cluster if its deletion policy is `Delete`. */
async function deleteVolumes(
  cluster: Stored<PostgresCluster>,
  ctx: ReconcileContext<PostgresCluster>,
): Promise<undefined> {
  if (cluster.spec.storage.deletionPolicy !== 'Delete') return undefined;
  for (const claim of (await readObjects(cluster, ctx)).claims) await ctx.delete(claim);
  return undefined;
}
