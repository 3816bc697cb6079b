import type { Stored } from '@kubewright/apimachinery';
import type { Job, JobStatus } from '@kubewright/apimachinery/batch/v1';
import type { Pod } from '@kubewright/apimachinery/core/v1';
import { IndexSet } from '../index-set.ts';
import { completionIndex } from './completion-index.ts';
import type { JobCounts } from './job-counts.ts';
import { isFailed, isIndexed, trackingFinalizer } from './job-pods.ts';
import { judgeFailure } from './pod-failure-policy.ts';

/**
 * Records finished pods in the status. Their uids are written before their finalizers are removed, so that no pod is missed or
 * counted twice, even if the controller stops in between. For succeeded pods of indexed jobs, the index is recorded instead of
 * the uid.
 */
export function countEnded(job: Job, status: JobStatus, { newSucceeded, newFailed, ...now }: JobCounts): JobStatus {
  const uncounted = status.uncountedTerminatedPods ?? {};
  const uids = (pods: readonly Stored<Pod>[]): readonly string[] => pods.map(({ metadata }) => metadata.uid);
  const succeeded = [...(uncounted.succeeded ?? []), ...(isIndexed(job) ? [] : uids(newSucceeded))];
  const counting = newFailed.filter((pod) => judgeFailure(job, pod).action !== 'Ignore');
  const failed = [...(uncounted.failed ?? []), ...uids(counting)];
  const perIndex = isIndexed(job) && job.spec?.backoffLimitPerIndex !== undefined;
  return {
    ...status,
    ...(isIndexed(job) && now.succeededIndexes.size > 0 && { completedIndexes: now.succeededIndexes.toString() }),
    ...(isIndexed(job) && now.succeededIndexes.size > 0 && { succeeded: now.succeededIndexes.size }),
    ...(perIndex && { failedIndexes: now.failedIndexes.toString() }),
    uncountedTerminatedPods: lists(succeeded, failed),
  };
}

/**
 * Moves recorded pods to the status's counts once they are deleted or have lost their finalizer. Returns the new
 * status.
 */
export function moveCounted(job: Job, pods: readonly Stored<Pod>[]): JobStatus {
  const status = job.status ?? {};
  const held = new Set(
    pods.filter(({ metadata }) => metadata.finalizers?.includes(trackingFinalizer)).map(({ metadata }) => metadata.uid),
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

/**
 * Returns a predicate that is true for pods that no longer need the finalizer: the job's status lists their uid or index, or
 * their failure is ignored.
 */
export function countedBy(job: Job): (pod: Stored<Pod>) => boolean {
  const { succeeded = [], failed = [] } = job.status?.uncountedTerminatedPods ?? {};
  const uids = new Set([...succeeded, ...failed]);
  const completions = job.spec?.completions ?? 0;
  const completed = IndexSet.parse(job.status?.completedIndexes, completions);
  return (pod) => {
    if (uids.has(pod.metadata.uid)) return true;
    if (isIndexed(job) && pod.status?.phase === 'Succeeded') {
      const index = completionIndex(pod) ?? completions;
      return index >= completions || completed.has(index);
    }
    return isFailed(pod, job) && judgeFailure(job, pod).action === 'Ignore';
  };
}

function lists(
  succeeded: readonly string[],
  failed: readonly string[],
): NonNullable<JobStatus['uncountedTerminatedPods']> {
  return { ...(succeeded.length > 0 && { succeeded }), ...(failed.length > 0 && { failed }) };
}
