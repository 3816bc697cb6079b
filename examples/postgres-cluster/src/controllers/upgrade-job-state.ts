import type { Stored } from '@kubewright/apimachinery';
import type { Job } from '@kubewright/apimachinery/batch/v1';
import type { Pod } from '@kubewright/apimachinery/core/v1';
import type { UpgradeJob } from '../plan/major-upgrade.ts';
import type { UpgradeResult } from '../upgrade/upgrade-program.ts';

/**
 * Returns the state of a major upgrade's Job. It counts as running while any of its pods may run, even if the Job itself has been
 * deleted.
 */
export function upgradeJobState(job: Stored<Job> | undefined, pods: readonly Stored<Pod>[]): UpgradeJob | undefined {
  const active = pods.find(({ status }) => status?.phase !== 'Succeeded' && status?.phase !== 'Failed');
  if (active) return { state: 'running', why: activity(active) };
  const result = pods.map(resultOf).find((found) => found !== undefined);
  if (result?.succeeded) return { state: 'succeeded', systemID: result.systemID };
  if (result) return { state: 'failed', why: result.message };
  if (!job) return undefined;
  const failed = job.status?.conditions?.find(({ type, status }) => type === 'Failed' && status === 'True');
  const last = lastError(pods);
  if (!failed) return { state: 'running', why: `waiting for the next attempt${last}` };
  const { reason = '', message = '' } = failed;
  return { state: 'failed', why: `${job.metadata.name}: ${reason}: ${message}${last}` };
}

function resultOf(pod: Stored<Pod>): UpgradeResult | undefined {
  try {
    const found = JSON.parse(messageOf(pod)) as Partial<UpgradeResult>;
    return typeof found.succeeded === 'boolean' ? (found as UpgradeResult) : undefined;
  } catch {
    // Not JSON: the container was interrupted, so the message is the end of its log.
    return undefined;
  }
}

function messageOf({ status }: Stored<Pod>): string {
  return status?.containerStatuses?.[0]?.state?.terminated?.message ?? '';
}

/** Returns the error that ended the newest attempt, prefixed with `: `; empty if none is known. */
function lastError(pods: readonly Stored<Pod>[]): string {
  const created = ({ metadata }: Stored<Pod>): string => metadata.creationTimestamp ?? '';
  const newest = [...pods].sort((a, b) => created(b).localeCompare(created(a))).map(messageOf);
  const lines = (newest[0] ?? '').split('\n').map((line) => line.trim());
  const error = lines.find((line) => /^\w*Error: /.test(line)) ?? '';
  return error && `: ${error}`;
}

function activity({ metadata, status }: Stored<Pod>): string {
  const waiting = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])]
    .map(({ state }) => state?.waiting)
    .find(
      (each) => each?.reason !== undefined && each.reason !== 'PodInitializing' && each.reason !== 'ContainerCreating',
    );
  const why = waiting ? `: ${waiting.reason}${waiting.message ? `: ${waiting.message}` : ''}` : '';
  return `waiting for the pod ${metadata.name}${why}`;
}
