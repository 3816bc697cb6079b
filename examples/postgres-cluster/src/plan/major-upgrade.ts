import type { MajorUpgrade } from '../api/v1/postgres-cluster.ts';
import { isWorking, type ObservedCluster } from './observed-cluster.ts';
import type { ScaleStep } from './scale.ts';

/** The state that determines the next step of a major upgrade. */
export interface ObservedUpgrade {
  /** Major version requested in the spec. */
  readonly wanted: number;
  /** Major version of the data; undefined before a cluster has data. */
  readonly current?: number | undefined;
  readonly progress?: MajorUpgrade | undefined;
  /** The Job of the current phase. */
  readonly job?: UpgradeJob | undefined;
  /** True if no instance has a pod. */
  readonly isStopped: boolean;
  /** Reason why the servers must not be stopped now. */
  readonly obstacle?: string | undefined;
}

export type UpgradeJob =
  | { readonly state: 'running'; readonly why: string }
  | { readonly state: 'succeeded'; readonly systemID?: string | undefined }
  | { readonly state: 'failed'; readonly why: string };

/** The next step of a major upgrade. */
export type UpgradeStep =
  | { readonly do: 'nothing' }
  /**
   * Rejects the requested version; the cluster keeps its current one. `hasFailed` is set if an attempt to upgrade to
   * that version failed.
   */
  | { readonly do: 'reject'; readonly why: string; readonly hasFailed?: true }
  | { readonly do: 'wait'; readonly why: string }
  /** Starts the check. The servers keep running. */
  | { readonly do: 'begin' }
  /** Creates the Job of the current phase. */
  | { readonly do: 'run' }
  /** Begins to stop all servers. */
  | { readonly do: 'stop' }
  /** Starts the upgrade of the data, after all servers have stopped. */
  | { readonly do: 'upgrade' }
  | { readonly do: 'complete'; readonly systemID: string }
  /** Returns to the old version and reports why. */
  | { readonly do: 'fail'; readonly why: string }
  /** Deletes the running Job, because the spec no longer requests this version. */
  | { readonly do: 'cancel' }
  /** Returns to the old version and clears the progress. */
  | { readonly do: 'forget' };

/** The versions that the instance manager supports. */
const supported = { oldest: 15, newest: 18 };

/**
 * Decides the next step of a major upgrade. While the servers run, a Job tests the parameters and the schema with the new
 * version. Then all servers stop, the primary first, so that the replicas have all its WAL. A Job upgrades the primary's data,
 * and the replicas are cloned again. Until that Job has succeeded, the old data is complete, and the old version can run again.
 */
export function nextUpgradeStep(upgrade: ObservedUpgrade): UpgradeStep {
  const { wanted, current, progress, obstacle } = upgrade;
  if (current === undefined) return { do: 'nothing' };
  if (progress === undefined || (progress.phase === 'Failed' && wanted !== Number(progress.to))) {
    if (wanted === current) return progress ? { do: 'forget' } : { do: 'nothing' };
    const why = rejectionReason(current, wanted);
    if (why !== undefined) return { do: 'reject', why };
    return obstacle === undefined ? { do: 'begin' } : { do: 'wait', why: obstacle };
  }
  switch (progress.phase) {
    case 'Failed':
      return { do: 'reject', why: failedMessage(progress), hasFailed: true };
    case 'Checking':
      return checking(upgrade, progress);
    case 'Stopping':
      if (wanted !== Number(progress.to)) return { do: 'forget' };
      return upgrade.isStopped ? { do: 'upgrade' } : { do: 'wait', why: 'waiting for all servers to stop' };
    case 'Upgrading':
      return upgrading(upgrade, progress);
  }
}

function checking({ wanted, job, obstacle }: ObservedUpgrade, { to }: MajorUpgrade): UpgradeStep {
  if (wanted !== Number(to)) return job?.state === 'running' ? { do: 'cancel' } : { do: 'forget' };
  if (job === undefined) return { do: 'run' };
  if (job.state === 'running') return { do: 'wait', why: job.why };
  if (job.state === 'failed') return { do: 'fail', why: job.why };
  return obstacle === undefined ? { do: 'stop' } : { do: 'wait', why: obstacle };
}

function upgrading({ wanted, job, isStopped }: ObservedUpgrade, { to }: MajorUpgrade): UpgradeStep {
  // Once the data is upgraded, the upgrade is completed, even if the spec has changed.
  if (job?.state === 'succeeded') {
    if (job.systemID !== undefined) return { do: 'complete', systemID: job.systemID };
    return { do: 'fail', why: 'the Job of the upgrade succeeded without reporting a result' };
  }
  if (wanted !== Number(to)) return job?.state === 'running' ? { do: 'cancel' } : { do: 'forget' };
  if (job === undefined) return isStopped ? { do: 'run' } : { do: 'wait', why: 'waiting for all servers to stop' };
  return job.state === 'failed' ? { do: 'fail', why: job.why } : { do: 'wait', why: job.why };
}

function rejectionReason(current: number, wanted: number): string | undefined {
  if (wanted < current) {
    return `the data has version ${current}, and PostgreSQL cannot downgrade it to ${wanted}; set spec.version to ${current}`;
  }
  const { oldest, newest } = supported;
  if (wanted <= newest && current >= oldest) return undefined;
  return `an upgrade from version ${current} to ${wanted} is not supported: both versions must be between ${oldest} and ${newest}; set spec.version to ${current}`;
}

function failedMessage({ from, to, message = '' }: MajorUpgrade): string {
  return `the upgrade from version ${from} to ${to} failed, and version ${from} runs again: ${message}; to retry, set spec.version to ${from}, then to ${to}`;
}

/** Returns why the servers must not be stopped for an upgrade now, or undefined if they can be stopped. */
export function upgradeObstacle(cluster: ObservedCluster): string | undefined {
  const { members, currentPrimary, targetPrimary, isHibernated, fenced } = cluster;
  if (isHibernated) return 'waiting until the cluster is no longer hibernated';
  if (fenced.length > 0) return `waiting until ${fenced.join(', ')} is no longer fenced`;
  const primary = members.find(({ name }) => name === currentPrimary);
  if (currentPrimary === undefined || currentPrimary !== targetPrimary || !primary) return 'waiting for a primary';
  const idle = members.filter((each) => !isWorking(each, currentPrimary));
  return idle.length > 0 ? `waiting for ${idle.map(({ name }) => name).join(', ')} to be ready` : undefined;
}

/** Returns true while an upgrade requires all servers to be stopped. */
export function isDownForUpgrade(progress: MajorUpgrade | undefined): boolean {
  return progress?.phase === 'Stopping' || progress?.phase === 'Upgrading';
}

/** Returns the pods to delete: first the primary's; once it is gone, the replicas', which then have all its WAL. */
export function stopForUpgrade({ members, currentPrimary }: ObservedCluster): readonly ScaleStep[] {
  const running = members.filter(({ pod }) => pod !== undefined);
  const primary = running.find(({ name }) => name === currentPrimary);
  const next = primary ? [primary] : running;
  return next
    .filter(({ pod }) => pod?.isDeleting === false)
    .map(({ name }) => ({ do: 'stop', name, why: 'a major upgrade stops all servers' }));
}
