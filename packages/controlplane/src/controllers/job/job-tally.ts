import { isDeleting } from '@kubewright/apimachinery';
import type { Job } from '@kubewright/apimachinery/batch/v1';
import type { Pod } from '@kubewright/apimachinery/core/v1';
import { isPodActive, isPodEnded, isPodReady } from '../pods/pod-state.ts';
import { completionIndex, parseIndexes } from './completion-indexes.ts';
import { failureCountKey, isFailed, isIndexed, trackingFinalizer } from './job-pods.ts';
import { judgeFailure } from './pod-failure-policy.ts';

/** Where a job stands, from its status and its pods. */
export interface JobTally {
  readonly active: readonly Pod[];
  readonly terminating: number;
  readonly ready: number;
  /** Ended pods that are in no count yet; their finalizer is still on. */
  readonly newSucceeded: readonly Pod[];
  readonly newFailed: readonly Pod[];
  readonly succeeded: number;
  readonly failed: number;
  /** Indexes that have succeeded; empty for jobs without. */
  readonly succeededIndexes: ReadonlySet<number>;
  readonly failedIndexes: ReadonlySet<number>;
}

/** Sums up a job. A pod is counted while it has the tracking finalizer and is not among the uncounted ones of the status. */
export function tally(job: Job, pods: readonly Pod[]): JobTally {
  const { status } = job;
  const { succeeded: waitingSucceeded = [], failed: waitingFailed = [] } = status?.uncountedTerminatedPods ?? {};
  const waiting = new Set([...waitingSucceeded, ...waitingFailed]);
  const tracked = pods.filter(
    ({ metadata }) => metadata.finalizers?.includes(trackingFinalizer) && !waiting.has(metadata.uid ?? ''),
  );
  const newSucceeded = tracked.filter((pod) => pod.status?.phase === 'Succeeded');
  const newFailed = tracked.filter((pod) => isFailed(pod, job));
  const active = pods.filter(isPodActive);
  const counted = newFailed.filter((pod) => judgeFailure(job, pod).action !== 'Ignore');
  const completions = job.spec?.completions ?? 0;
  const succeededIndexes = isIndexed(job) ? parseIndexes(status?.completedIndexes, completions) : new Set<number>();
  if (isIndexed(job)) {
    for (const pod of newSucceeded) {
      const index = completionIndex(pod);
      if (index !== undefined && index < completions) succeededIndexes.add(index);
    }
  }
  return {
    active,
    terminating: pods.filter((pod) => isDeleting(pod) && !isPodEnded(pod)).length,
    ready: active.filter(isPodReady).length,
    newSucceeded,
    newFailed,
    succeeded: isIndexed(job)
      ? succeededIndexes.size
      : (status?.succeeded ?? 0) + waitingSucceeded.length + newSucceeded.length,
    failed: (status?.failed ?? 0) + waitingFailed.length + counted.length,
    succeededIndexes,
    failedIndexes: failedIndexes(job, { newFailed, succeededIndexes }),
  };
}

/** Indexes that may not be tried again, where the job limits retries for each. */
function failedIndexes(
  job: Job,
  {
    newFailed,
    succeededIndexes,
  }: { readonly newFailed: readonly Pod[]; readonly succeededIndexes: ReadonlySet<number> },
): ReadonlySet<number> {
  const { backoffLimitPerIndex, completions = 0 } = job.spec ?? {};
  if (backoffLimitPerIndex === undefined || !isIndexed(job)) return new Set();
  const failed = parseIndexes(job.status?.failedIndexes, completions);
  for (const pod of newFailed) {
    const index = completionIndex(pod);
    if (index === undefined || index >= completions || succeededIndexes.has(index)) continue;
    const { action } = judgeFailure(job, pod);
    if (action === 'FailIndex' || (action === 'Count' && failureCount(pod) >= backoffLimitPerIndex)) failed.add(index);
  }
  return failed;
}

/** Failures of a pod's index before this pod. */
export function failureCount({ metadata }: Pod): number {
  const count = Number(metadata.annotations?.[failureCountKey] ?? 0);
  return Number.isSafeInteger(count) ? count : 0;
}
