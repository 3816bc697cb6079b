import { isDeleting, type Stored } from '@kubewright/apimachinery';
import type { Job } from '@kubewright/apimachinery/batch/v1';
import type { Pod } from '@kubewright/apimachinery/core/v1';
import { IndexSet } from '../index-set.ts';
import { isPodActive, isPodEnded, isPodReady } from '../pods/pod-state.ts';
import { completionIndex } from './completion-index.ts';
import { failureCountKey, isFailed, isIndexed, trackingFinalizer } from './job-pods.ts';
import { judgeFailure } from './pod-failure-policy.ts';

/** The current counts of a job, computed from its status and pods. */
export interface JobCounts {
  readonly active: readonly Stored<Pod>[];
  /** Pods that are being deleted but have not finished. */
  readonly terminating: readonly Pod[];
  readonly ready: number;
  /** Succeeded pods that the status has not counted yet. */
  readonly newSucceeded: readonly Stored<Pod>[];
  readonly newFailed: readonly Stored<Pod>[];
  readonly succeeded: number;
  readonly failed: number;
  /** The indexes that have succeeded; empty if the job is not indexed. */
  readonly succeededIndexes: IndexSet;
  readonly failedIndexes: IndexSet;
}

/**
 * Computes the counts of a job. A finished pod is new if it still has the tracking finalizer and its uid is not in the status's
 * `uncountedTerminatedPods`.
 */
export function countJob(job: Job, pods: readonly Stored<Pod>[]): JobCounts {
  const { status } = job;
  const { succeeded: waitingSucceeded = [], failed: waitingFailed = [] } = status?.uncountedTerminatedPods ?? {};
  const waiting = new Set([...waitingSucceeded, ...waitingFailed]);
  const tracked = pods.filter(
    ({ metadata }) => metadata.finalizers?.includes(trackingFinalizer) && !waiting.has(metadata.uid),
  );
  const newSucceeded = tracked.filter((pod) => pod.status?.phase === 'Succeeded');
  const newFailed = tracked.filter((pod) => isFailed(pod, job));
  const active = pods.filter(isPodActive);
  const counted = newFailed.filter((pod) => judgeFailure(job, pod).action !== 'Ignore');
  const succeededIndexes = isIndexed(job) ? indexesSucceeded(job, newSucceeded) : IndexSet.empty;
  return {
    active,
    terminating: pods.filter((pod) => isDeleting(pod) && !isPodEnded(pod)),
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

function indexesSucceeded(job: Job, newSucceeded: readonly Pod[]): IndexSet {
  const { completions = 0 } = job.spec ?? {};
  const fresh = newSucceeded
    .map(completionIndex)
    .filter((index): index is number => index !== undefined && index < completions);
  return IndexSet.parse(job.status?.completedIndexes, completions).union(IndexSet.of(fresh));
}

/** Returns the indexes that have failed for good; empty unless the job limits retries per index. */
function failedIndexes(
  job: Job,
  { newFailed, succeededIndexes }: { readonly newFailed: readonly Pod[]; readonly succeededIndexes: IndexSet },
): IndexSet {
  const { backoffLimitPerIndex, completions = 0 } = job.spec ?? {};
  if (backoffLimitPerIndex === undefined || !isIndexed(job)) return IndexSet.empty;
  const failed: number[] = [];
  for (const pod of newFailed) {
    const index = completionIndex(pod);
    if (index === undefined || index >= completions || succeededIndexes.has(index)) continue;
    const { action } = judgeFailure(job, pod);
    if (action === 'FailIndex' || (action === 'Count' && failureCount(pod) >= backoffLimitPerIndex)) failed.push(index);
  }
  return IndexSet.parse(job.status?.failedIndexes, completions).union(IndexSet.of(failed));
}

/** Returns the number of failures of a pod's index before this pod. */
export function failureCount({ metadata }: Pod): number {
  const text = metadata.annotations?.[failureCountKey] ?? '';
  const count = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  return count <= 0x7fffffff ? count : 0;
}
