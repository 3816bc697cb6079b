import type { CronJob, Job, PodFailurePolicyOnPodConditionsPattern } from '../generated/drafts.ts';
import { isEmpty } from '../validation/check.ts';
import { defaultsOf, type StructDefaultsEntry } from '../wire/struct-defaults.ts';

const maxInt32 = 2_147_483_647;

/** Defaults of the batch group. */
export const batchDefaults: readonly StructDefaultsEntry[] = [
  defaultsOf<Job>('batchv1.Job', ({ metadata, spec }) => {
    if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
    spec.parallelism ??= 1;
    spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : maxInt32;
    const labels = spec.template.metadata.labels;
    // Share the object, as upstream does: this distinguishes defaulted labels from labels that happen to be equal.
    if (labels && !isEmpty(labels) && isEmpty(metadata.labels)) metadata.labels = labels;
    spec.completionMode ??= 'NonIndexed';
    spec.suspend ??= false;
    spec.podReplacementPolicy ??= spec.podFailurePolicy ? 'Failed' : 'TerminatingOrFailed';
    spec.manualSelector ??= false;
  }),
  defaultsOf<CronJob>('batchv1.CronJob', ({ spec }) => {
    spec.concurrencyPolicy ||= 'Allow';
    spec.suspend ??= false;
    spec.successfulJobsHistoryLimit ??= 3;
    spec.failedJobsHistoryLimit ??= 1;
  }),
  defaultsOf<PodFailurePolicyOnPodConditionsPattern>('batchv1.PodFailurePolicyOnPodConditionsPattern', (pattern) => {
    pattern.status ||= 'True';
  }),
];
