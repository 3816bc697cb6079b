import type { Stored } from '@kubewright/apimachinery';
import type { Job } from '@kubewright/apimachinery/batch/v1';
import type { Pod } from '@kubewright/apimachinery/core/v1';
import { IndexSet } from '../index-set.ts';
import { podsToDelete } from '../replica-set/deletion-order.ts';
import { completionIndex } from './completion-index.ts';
import { failureCount, type JobCounts } from './job-counts.ts';
import { isIndexed, replacesTerminating } from './job-pods.ts';

/** The maximum number of pods that one reconcile creates or deletes. */
const burst = 500;

/** A pod to create. */
export interface PlannedPod {
  readonly index: number | undefined;
  /** The number of earlier failures of the pod's index, if the job limits failures per index. */
  readonly failures: number | undefined;
}

/** The pods of a job to create and delete. */
export interface PodPlan {
  readonly create: readonly PlannedPod[];
  readonly remove: readonly Stored<Pod>[];
}

/** Plans which pods to create and delete. Jobs that have ended or are suspended should have no pods. */
export function planPods(
  job: Job,
  { counts, ended, nowMs }: { readonly counts: JobCounts; readonly ended: boolean; readonly nowMs: number },
): PodPlan {
  const { active } = counts;
  if (ended || job.spec?.suspend) return { create: [], remove: active };
  const waiting = replacesTerminating(job) ? 0 : counts.terminating.length;
  const wanted = wantedActive(job, counts);
  const doomed = isIndexed(job) ? misplaced(job, counts) : [];
  const surplus = active.length - doomed.length + waiting - wanted;
  if (doomed.length > 0 || surplus > 0) {
    const gone = new Set(doomed);
    const others = active.filter((pod) => !gone.has(pod));
    const count = Math.max(0, surplus);
    const more = count === 0 ? [] : podsToDelete(others, { count, siblings: active, nowMs });
    return { create: [], remove: [...doomed, ...more].slice(0, burst) };
  }
  const missing = Math.min(wanted - waiting - active.length, burst);
  if (missing <= 0) return { create: [], remove: [] };
  if (!isIndexed(job)) {
    return { create: Array.from({ length: missing }, () => ({ index: undefined, failures: undefined })), remove: [] };
  }
  const create = freeIndexes(job, { counts, count: missing }).map((index) => ({
    index,
    failures: failuresOf(job, { counts, index }),
  }));
  return { create, remove: [] };
}

function wantedActive(job: Job, counts: JobCounts): number {
  const { parallelism = 1, completions, backoffLimitPerIndex } = job.spec ?? {};
  // Without `completions`, no more pods are created once a pod has succeeded.
  if (completions === undefined) return counts.succeeded > 0 ? counts.active.length : parallelism;
  const failed = backoffLimitPerIndex === undefined ? 0 : counts.failedIndexes.size;
  return Math.max(0, Math.min(parallelism, completions - counts.succeeded - failed));
}

/** Returns the pods whose index is missing, out of range, already finished, or a duplicate. */
function misplaced(job: Job, { active, succeededIndexes, failedIndexes }: JobCounts): readonly Stored<Pod>[] {
  const { completions = 0 } = job.spec ?? {};
  const taken = new Set<number>();
  return active.filter((pod) => {
    const index = completionIndex(pod);
    if (index === undefined || index >= completions) return true;
    if (succeededIndexes.has(index) || failedIndexes.has(index) || taken.has(index)) return true;
    taken.add(index);
    return false;
  });
}

/**
 * Returns the lowest indexes that need a pod. The running time depends on the number of pods and index intervals, not on the
 * number of completions.
 */
function freeIndexes(
  job: Job,
  { counts, count }: { readonly counts: JobCounts; readonly count: number },
): readonly number[] {
  const { active, terminating, succeededIndexes, failedIndexes } = counts;
  const held = replacesTerminating(job) ? active : [...active, ...terminating];
  const taken = IndexSet.of(held.map(completionIndex).filter((index) => index !== undefined));
  return taken
    .union(succeededIndexes)
    .union(failedIndexes)
    .firstAbsent({ count, limit: job.spec?.completions ?? 0 });
}

function failuresOf(
  job: Job,
  { counts, index }: { readonly counts: JobCounts; readonly index: number },
): number | undefined {
  if (job.spec?.backoffLimitPerIndex === undefined) return undefined;
  const failed = counts.newFailed.filter((pod) => completionIndex(pod) === index);
  return failed.reduce((max, pod) => Math.max(max, failureCount(pod) + 1), 0);
}
