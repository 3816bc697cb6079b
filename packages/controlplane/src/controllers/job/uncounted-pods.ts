import type { Job, JobStatus } from '@kubewright/apimachinery/batch/v1';
import type { Pod } from '@kubewright/apimachinery/core/v1';
import { formatIndexes } from './completion-indexes.ts';
import { isIndexed, trackingFinalizer } from './job-pods.ts';
import type { JobTally } from './job-tally.ts';
import { judgeFailure } from './pod-failure-policy.ts';

/**
 * Takes note of pods that have ended: their uids are in the status before their finalizers come off, so that none is
 * counted twice or never, whenever the controller stops. Indexes that succeeded need no uids.
 */
export function countEnded(job: Job, status: JobStatus, { newSucceeded, newFailed, ...now }: JobTally): JobStatus {
  const uncounted = status.uncountedTerminatedPods ?? {};
  const uids = (pods: readonly Pod[]): readonly string[] => pods.map(({ metadata }) => metadata.uid ?? '');
  const succeeded = [...(uncounted.succeeded ?? []), ...(isIndexed(job) ? [] : uids(newSucceeded))];
  const counting = newFailed.filter((pod) => judgeFailure(job, pod).action !== 'Ignore');
  const failed = [...(uncounted.failed ?? []), ...uids(counting)];
  const perIndex = isIndexed(job) && job.spec?.backoffLimitPerIndex !== undefined;
  return {
    ...status,
    ...(isIndexed(job) && now.succeededIndexes.size > 0 && { completedIndexes: formatIndexes(now.succeededIndexes) }),
    ...(isIndexed(job) && now.succeededIndexes.size > 0 && { succeeded: now.succeededIndexes.size }),
    ...(perIndex && { failedIndexes: formatIndexes(now.failedIndexes) }),
    uncountedTerminatedPods: lists(succeeded, failed),
  };
}

/** Moves noted pods whose finalizer is off, or which are gone, over to the counts. */
export function moveCounted(job: Job, pods: readonly Pod[]): JobStatus {
  const status = job.status ?? {};
  const held = new Set(
    pods
      .filter(({ metadata }) => metadata.finalizers?.includes(trackingFinalizer))
      .map(({ metadata }) => metadata.uid ?? ''),
  );
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  const isHeld = (uid: string): boolean => held.has(uid);
  const moved = (uids: readonly string[]): number => uids.filter((uid) => !isHeld(uid)).length;
  const succeededCount = (status.succeeded ?? 0) + moved(succeeded);
  const failedCount = (status.failed ?? 0) + moved(failed);
  return {
    ...status,
    ...(succeededCount > 0 && { succeeded: succeededCount }),
    ...(failedCount > 0 && { failed: failedCount }),
    uncountedTerminatedPods: lists(succeeded.filter(isHeld), failed.filter(isHeld)),
  };
}

function lists(
  succeeded: readonly string[],
  failed: readonly string[],
): NonNullable<JobStatus['uncountedTerminatedPods']> {
  return { ...(succeeded.length > 0 && { succeeded }), ...(failed.length > 0 && { failed }) };
}
