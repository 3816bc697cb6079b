import type { Job } from '@kubewright/apimachinery/batch/v1';
import type { Pod } from '@kubewright/apimachinery/core/v1';
import { IndexSet } from '../index-set.ts';
import type { JobOutcome } from './job-conditions.ts';
import type { JobCounts } from './job-counts.ts';
import { isIndexed } from './job-pods.ts';
import { judgeFailure } from './pod-failure-policy.ts';

/** Input for {@link failureOutcome}. */
export interface JobOutcomeInput {
  readonly pods: readonly Pod[];
  readonly counts: JobCounts;
  readonly nowMs: number;
}

/** Returns the outcome of a job that must fail now, or undefined if it may continue. */
export function failureOutcome(job: Job, { pods, counts, nowMs }: JobOutcomeInput): JobOutcome | undefined {
  const fail = (reason: string, message: string): JobOutcome => ({ outcome: 'Failed', reason, message });
  if (job.spec?.podFailurePolicy) {
    const failed = pods.filter(({ status }) => status?.phase === 'Failed');
    const fatal = failed.map((pod) => judgeFailure(job, pod)).find(({ action }) => action === 'FailJob');
    if (fatal) return fail('PodFailurePolicy', fatal.message);
  }
  const { backoffLimit = 6, maxFailedIndexes, backoffLimitPerIndex, completions = 0 } = job.spec ?? {};
  if (counts.failed > backoffLimit || restartsExceed(job, { active: counts.active, backoffLimit })) {
    return fail('BackoffLimitExceeded', 'Job has reached the specified backoff limit');
  }
  const leftMs = msUntilDeadline(job, nowMs);
  if (leftMs !== undefined && leftMs <= 0) {
    return fail('DeadlineExceeded', 'Job was active longer than specified deadline');
  }
  if (backoffLimitPerIndex === undefined || !isIndexed(job)) return undefined;
  if (maxFailedIndexes !== undefined && counts.failedIndexes.size > maxFailedIndexes) {
    return fail('MaxFailedIndexesExceeded', 'Job has exceeded the specified maximal number of failed indexes');
  }
  const ended = counts.succeededIndexes.size + counts.failedIndexes.size >= completions;
  if (counts.failedIndexes.size > 0 && ended && counts.active.length === 0) {
    return fail('FailedIndexes', 'Job has failed indexes');
  }
  return undefined;
}

/** Returns the outcome of a job that meets its success criteria, or undefined if it does not. */
export function successOutcome(job: Job, counts: JobCounts): JobOutcome | undefined {
  const { completions, successPolicy } = job.spec ?? {};
  if (successPolicy && isIndexed(job)) {
    for (const [index, { succeededIndexes, succeededCount }] of successPolicy.rules.entries()) {
      const wanted = succeededIndexes === undefined ? undefined : IndexSet.parse(succeededIndexes, completions ?? 0);
      const met = wanted ? counts.succeededIndexes.sizeOfIntersection(wanted) : counts.succeededIndexes.size;
      if (met >= (succeededCount ?? wanted?.size ?? Number.POSITIVE_INFINITY)) {
        return { outcome: 'Complete', reason: 'SuccessPolicy', message: `Matched rules at index ${index}` };
      }
    }
  }
  const enough = completions === undefined ? counts.succeeded > 0 : counts.succeeded >= completions;
  if (!enough || counts.active.length > 0) return undefined;
  return { outcome: 'Complete', reason: 'CompletionsReached', message: 'Reached expected number of succeeded pods' };
}

/**
 * Returns the time until the job exceeds its active deadline, in milliseconds, or undefined if it has no deadline, is suspended,
 * or has not started.
 */
export function msUntilDeadline(job: Job, nowMs: number): number | undefined {
  const { activeDeadlineSeconds, suspend } = job.spec ?? {};
  const { startTime } = job.status ?? {};
  if (activeDeadlineSeconds === undefined || suspend || !startTime) return undefined;
  return Date.parse(startTime) + Number(activeDeadlineSeconds) * 1000 - nowMs;
}

/**
 * True if container restarts reach the backoff limit. They count only with restart policy OnFailure, which restarts containers in
 * place.
 */
function restartsExceed(
  job: Job,
  { active, backoffLimit }: { readonly active: readonly Pod[]; readonly backoffLimit: number },
): boolean {
  if (job.spec?.template.spec?.restartPolicy !== 'OnFailure') return false;
  const restarts = active
    .flatMap(({ status }) => [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])])
    .reduce((sum, { restartCount }) => sum + restartCount, 0);
  return backoffLimit === 0 ? restarts > 0 : restarts >= backoffLimit;
}
