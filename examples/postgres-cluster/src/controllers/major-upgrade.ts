import { isAlreadyExists, type Stored } from '@kubewright/apimachinery';
import { Job } from '@kubewright/apimachinery/batch/v1';
import { Pod, Service } from '@kubewright/apimachinery/core/v1';
import type { ReconcileContext } from '@kubewright/runtime';
import { PostgresBackup } from '../api/v1/postgres-backup.ts';
import { type MajorUpgrade, PostgresCluster, type PostgresClusterStatus } from '../api/v1/postgres-cluster.ts';
import {
  isDownForUpgrade,
  nextUpgradeStep,
  type UpgradeJob,
  type UpgradeStep,
  upgradeObstacle,
} from '../plan/major-upgrade.ts';
import type { ObservedCluster } from '../plan/observed-cluster.ts';
import { clusterNames } from '../spec/cluster-names.ts';
import { defaultVersion, instanceImage, requestedImage } from '../spec/instance-image.ts';
import { upgradeJobFor, upgradeJobName, upgradeLabel } from '../spec/upgrade-job.ts';
import type { Attempts } from './attempts.ts';
import type { OwnObjects } from './own-objects.ts';
import { upgradeJobState } from './upgrade-job-state.ts';

type VersionStatus = Pick<PostgresClusterStatus, 'version' | 'image' | 'majorUpgrade'>;

/** The version fields of a cluster's status, and the upgrade step that was taken. */
export interface VersionState {
  readonly status: VersionStatus;
  readonly step: UpgradeStep;
  /** True while the upgrade requires all servers to be stopped. */
  readonly isDown: boolean;
}

interface UpgradeParts {
  readonly ctx: ReconcileContext<PostgresCluster>;
  readonly own: OwnObjects;
  readonly attempts: Attempts;
  /** The operator's image, without a tag. */
  readonly image: string;
  readonly observed: ObservedCluster;
  readonly pods: readonly Stored<Pod>[];
}

/** Carries out the next step of a major upgrade, and returns the resulting version state. */
export async function advanceUpgrade(cluster: Stored<PostgresCluster>, parts: UpgradeParts): Promise<VersionState> {
  const { observed, pods, image, ctx } = parts;
  const { spec, status = {} } = cluster;
  const version = status.version ?? runningVersion(cluster, pods);
  const progress = status.majorUpgrade;
  const isDown = isDownForUpgrade(progress);
  const known = { ...(version !== undefined && { version }), image: instanceImage(cluster, image) };
  const unchanged = { ...known, ...(progress && { majorUpgrade: progress }) };
  if (spec.paused) {
    return { status: unchanged, step: { do: 'nothing' }, isDown };
  }
  const step = nextUpgradeStep({
    wanted: Number(spec.version ?? defaultVersion),
    current: version === undefined ? undefined : Number(version),
    progress,
    job: progress && (await jobState(cluster, { progress, ctx })),
    isStopped: observed.members.every(({ pod }) => pod === undefined),
    obstacle: isDown ? undefined : upgradeObstacle(observed),
  });
  const act = () => carryOut(cluster, { ...parts, step, progress });
  if ((await parts.attempts.make('continue the major upgrade', act)) !== true) {
    return { status: unchanged, step: { do: 'wait', why: 'a step failed and will be repeated' }, isDown };
  }
  const next = nextProgress(step, { progress, from: version ?? '', to: spec.version ?? defaultVersion, ctx });
  if (step.do === 'complete') {
    // The servers of the new version start after this status is written.
    return { status: { version: progress?.to ?? '', image: requestedImage(cluster, image) }, step, isDown: true };
  }
  const isIdle = next === undefined && isDown;
  return { status: { ...known, ...(next && { majorUpgrade: next }) }, step, isDown: isDownForUpgrade(next) || isIdle };
}

/**
 * Returns the version in the image tags of a cluster's pods. Used for clusters that an older operator created: their
 * status has no version.
 */
function runningVersion({ spec, status }: Stored<PostgresCluster>, pods: readonly Stored<Pod>[]): string | undefined {
  if (status?.currentPrimary === undefined) return undefined;
  const images = pods.map((pod) => pod.spec?.containers[0]?.image ?? '');
  const [major] = images.flatMap((image) => /:(\d+)[^:/]*(@|$)/.exec(image)?.[1] ?? []);
  return major ?? spec.version ?? defaultVersion;
}

function nextProgress(
  step: UpgradeStep,
  {
    progress,
    from,
    to,
    ctx,
  }: {
    readonly progress: MajorUpgrade | undefined;
    readonly from: string;
    readonly to: string;
    readonly ctx: ReconcileContext<PostgresCluster>;
  },
): MajorUpgrade | undefined {
  switch (step.do) {
    case 'begin': {
      const startedAt = new Date(ctx.clock.now()).toISOString().replace(/\.\d+/, '');
      return { phase: 'Checking', from, to, startedAt };
    }
    case 'stop':
      return progress && { ...progress, phase: 'Stopping' };
    case 'upgrade':
      return progress && { ...progress, phase: 'Upgrading' };
    case 'fail':
      return progress && { ...progress, phase: 'Failed', message: step.why };
    case 'complete':
    case 'forget':
      return undefined;
    default:
      return progress;
  }
}

/** @rbac groups=batch resources=jobs verbs=get;list;watch;create;delete */
async function jobState(
  { metadata }: Stored<PostgresCluster>,
  { progress, ctx }: { readonly progress: MajorUpgrade; readonly ctx: ReconcileContext<PostgresCluster> },
): Promise<UpgradeJob | undefined> {
  const { name, namespace = '' } = metadata;
  const job = upgradeJobName(name, progress);
  const labelSelector = `${upgradeLabel}=${name},job-name=${job}`;
  return upgradeJobState(
    await ctx.get(Job, { namespace, name: job }),
    await ctx.list(Pod, { namespace, labelSelector }),
  );
}

async function carryOut(
  cluster: Stored<PostgresCluster>,
  parts: UpgradeParts & { readonly step: UpgradeStep; readonly progress: MajorUpgrade | undefined },
): Promise<void> {
  const { ctx, step, progress } = parts;
  const { events } = ctx;
  const { from = '', to = '' } = progress ?? {};
  switch (step.do) {
    case 'begin':
      events.record({
        reason: 'UpgradeStarted',
        note: `checking whether the cluster can be upgraded to version ${cluster.spec.version}`,
      });
      return;
    case 'run':
      return createJob(cluster, parts);
    case 'stop':
      events.record({
        reason: 'UpgradeStopsServers',
        note: `stopping all servers for the upgrade from version ${from} to ${to}`,
      });
      return;
    case 'fail': {
      const note = `the upgrade from version ${from} to ${to} failed; version ${from} continues: ${step.why}`;
      events.record({ type: 'Warning', reason: 'UpgradeFailed', note: note.slice(0, 1_000) });
      return;
    }
    case 'cancel':
    case 'forget':
      return progress && deleteJob(cluster, { progress, ctx });
    case 'complete':
      await switchVersion(cluster, { ctx, systemID: step.systemID, to });
      events.record({ reason: 'UpgradeCompleted', note: `upgraded the data from version ${from} to ${to}` });
      return;
    case 'nothing':
    case 'wait':
    case 'reject':
    case 'upgrade':
      return;
  }
}

async function createJob(
  cluster: Stored<PostgresCluster>,
  { own, image, observed, progress }: UpgradeParts & { readonly progress: MajorUpgrade | undefined },
): Promise<void> {
  if (!progress) return;
  const { readWrite } = clusterNames(observed.name);
  const address = (await own.get(Service, readWrite))?.spec?.clusterIP;
  const host = address && address !== 'None' ? address : readWrite;
  const primary = observed.currentPrimary ?? '';
  await own.apply(Job, [upgradeJobFor(cluster, { image, upgrade: progress, primary, host })]);
}

async function deleteJob(
  { metadata }: Stored<PostgresCluster>,
  { progress, ctx }: { readonly progress: MajorUpgrade; readonly ctx: ReconcileContext<PostgresCluster> },
): Promise<void> {
  const name = upgradeJobName(metadata.name, progress);
  const job = await ctx.get(Job, { namespace: metadata.namespace ?? '', name });
  if (job && job.metadata.deletionTimestamp === undefined) await ctx.delete(job);
}

/**
 * Resets the cluster's status for the new database system, which has its own timeline and archive, and requests its first base
 * backup.
 *
 * @rbac groups=database.db.example.com resources=postgresbackups verbs=create
 */
async function switchVersion(
  { metadata, spec }: Stored<PostgresCluster>,
  {
    ctx,
    systemID,
    to,
  }: { readonly ctx: ReconcileContext<PostgresCluster>; readonly systemID: string; readonly to: string },
): Promise<void> {
  const { name, namespace = '' } = metadata;
  const archiveName = `${name}-${to}`;
  const reset = { timeline: null, failoverQuorums: null, lastBackup: null, firstRecoverabilityPoint: null };
  const status = { systemID, archiveName, ...reset };
  await ctx.client.resource(PostgresCluster).status.patch({ namespace, name }, { type: 'merge', body: { status } });
  if (!spec.backup) return;
  const backup = PostgresBackup({ metadata: { name: archiveName, namespace }, spec: { cluster: name } });
  try {
    await ctx.client.resource(PostgresBackup).create(backup);
  } catch (error) {
    // An interrupted reconcile has already created the backup.
    if (!isAlreadyExists(error)) throw error;
  }
}
