import {
  checkDns1123Label,
  checkDns1123Subdomain,
  type FieldError,
  FieldPath,
  invalidField,
  requiredField,
  unsupportedField,
} from '@kubewright/apimachinery';
import { tooLongField } from '@kubewright/apimachinery/internal';
import { podSpecWarnings } from '../core/pod-warnings.ts';
import type { CronJob, CronJobSpec, Job, JobSpec } from '../generated/drafts.ts';
import { enumOf, fields, immutable, nonNegative, present, required } from '../validation/check.ts';
import { type ValidationEntry, validationOf } from '../validation/kind-validation.ts';
import { domainPrefixedPath, labelSelector, selects, shownSelector } from '../validation/rules.ts';
import { sortedKeys } from '../validation/sorted-keys.ts';
import { templateFaults } from '../validation/template-validation.ts';
import { indexedJobLimits } from './indexed-job-limits.ts';
import { jobStatusFaults } from './job-status-validation.ts';
import { jobTemplateChanges } from './job-template-changes.ts';
import { podFailurePolicyFaults } from './pod-failure-policy.ts';
import { scheduleFaults, timeZoneFaults } from './schedule.ts';
import { successPolicyFaults } from './success-policy.ts';

const specPath = FieldPath.of('spec');
const controllerUid = 'batch.kubernetes.io/controller-uid';
/**
 * The maximum length of a CronJob's name. It leaves room for the scheduled time, which is appended to form the job
 * names.
 */
const maxCronJobName = 52;

/** Validation of the batch group. */
export const batchValidation: readonly ValidationEntry[] = [
  validationOf<Job>('batch/v1/jobs', {
    validate: (job) => [...generatedSelectorFaults(job), ...jobFaults(job.spec, { path: specPath, selector: true })],
    validateUpdate: jobChanges,
    warnings: jobWarnings,
  }),
  validationOf<CronJob>('batch/v1/cronjobs', {
    validate: ({ spec }) => cronJobFaults(spec),
    validateName: (name) => [
      ...checkDns1123Subdomain(name),
      ...(name.length > maxCronJobName ? [`must be no more than ${maxCronJobName} characters`] : []),
    ],
    warnings: cronJobWarnings,
  }),
  validationOf<Job>('batch/v1/jobs/status', { validateUpdate: jobStatusFaults }),
];

const nameWarning =
  'metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended';

function nameWarnings(name: string | undefined): readonly string[] {
  const faults = checkDns1123Label(name ?? '');
  return faults.length === 0 ? [] : [`${nameWarning}: [${faults.join(' ')}]`];
}

/** If the completions and the parallelism of an Indexed Job both exceed these numbers, its status may become too long. */
const manyCompletions = 100_000;
const manyPods = 10_000;

function specWarnings(spec: JobSpec, path: FieldPath): readonly string[] {
  const { completionMode, completions = 0, parallelism = 0 } = spec;
  const isLarge = completionMode === 'Indexed' && completions > manyCompletions && parallelism > manyPods;
  const text =
    'In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail';
  return [
    ...(isLarge ? [`${path}: ${text}`] : []),
    ...podSpecWarnings(spec.template.spec, path.child('template', 'spec')),
  ];
}

function jobWarnings({ metadata, spec }: Job, old: Job | undefined): readonly string[] {
  if (!old) return [...nameWarnings(metadata.name), ...specWarnings(spec, specPath)];
  return old.metadata.generation === metadata.generation ? [] : specWarnings(spec, specPath);
}

function cronJobWarnings({ metadata, spec }: CronJob, old: CronJob | undefined): readonly string[] {
  const ofSpec = (): readonly string[] => specWarnings(spec.jobTemplate.spec, specPath.child('jobTemplate', 'spec'));
  if (!old) return [...nameWarnings(metadata.name), ...ofSpec()];
  const text =
    'cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details';
  return [
    ...(old.metadata.generation === metadata.generation ? [] : ofSpec()),
    ...(spec.schedule?.includes('TZ') ? [text] : []),
  ];
}

function jobFaults(spec: JobSpec, at: { readonly path: FieldPath; readonly selector: boolean }): readonly FieldError[] {
  const { path } = at;
  const faults: FieldError[] = [
    ...fields<JobSpec>({
      parallelism: nonNegative,
      completions: nonNegative,
      activeDeadlineSeconds: nonNegative,
      backoffLimit: nonNegative,
      ttlSecondsAfterFinished: nonNegative,
      backoffLimitPerIndex: nonNegative,
      maxFailedIndexes: nonNegative,
      completionMode: present(enumOf('NonIndexed', 'Indexed')),
    })(spec, path),
    ...managedByFaults(spec.managedBy, path.child('managedBy')),
    ...indexedJobLimits(spec, path),
    ...podFailurePolicyFaults(spec, path),
    ...successPolicyFaults(spec, path),
    ...replacementPolicyFaults(spec, path.child('podReplacementPolicy')),
  ];
  if (at.selector) {
    if (!spec.selector) faults.push(requiredField(path.child('selector')));
    else faults.push(...labelSelector(spec.selector, path.child('selector')));
  }
  return [...faults, ...jobTemplateFaults(spec, at)];
}

const maxManagedBy = 63;

function managedByFaults(name: string | undefined, path: FieldPath): readonly FieldError[] {
  if (name === undefined) return [];
  const tooLong = name.length > maxManagedBy ? [tooLongField(path, { max: maxManagedBy })] : [];
  return [...domainPrefixedPath(name, path), ...tooLong];
}

function replacementPolicyFaults(
  { podReplacementPolicy, podFailurePolicy }: JobSpec,
  path: FieldPath,
): readonly FieldError[] {
  const allowed = podFailurePolicy ? ['Failed'] : ['Failed', 'TerminatingOrFailed'];
  return present(enumOf(...allowed))(podReplacementPolicy, path);
}

function jobTemplateFaults(
  spec: JobSpec,
  at: { readonly path: FieldPath; readonly selector: boolean },
): readonly FieldError[] {
  const template = at.path.child('template');
  const { restartPolicy } = spec.template.spec;
  const selector = at.selector ? (spec.selector ?? impossible) : undefined;
  const faults = templateFaults(spec.template, { path: template, selector, restartPolicies: ['OnFailure', 'Never'] });
  const path = template.child('spec', 'restartPolicy');
  if (restartPolicy === 'Never') return faults;
  if (restartPolicy === 'Always' || !restartPolicy) {
    return [...faults, requiredField(path, 'valid values: "OnFailure", "Never"')];
  }
  if (restartPolicy !== 'OnFailure') return [...faults, unsupportedField(path, restartPolicy, ['OnFailure', 'Never'])];
  if (!spec.podFailurePolicy) return faults;
  return [...faults, invalidField(path, restartPolicy, 'only "Never" is supported when podFailurePolicy is specified')];
}

/** The selector that upstream substitutes for an absent selector: it matches nothing. */
const impossible = {
  matchExpressions: [
    { key: 'a', operator: 'Exists' },
    { key: 'a', operator: 'DoesNotExist' },
  ],
};

/** Rejects user labels that conflict with the labels that the server generates. */
function generatedSelectorFaults({ metadata, spec }: Job): readonly FieldError[] {
  if (spec.manualSelector || !spec.selector) return [];
  const uid = metadata.uid ?? '';
  const labels = spec.template.metadata.labels ?? {};
  const path = specPath.child('template', 'metadata', 'labels');
  const expected = [
    ['controller-uid', uid],
    [controllerUid, uid],
    ['job-name', metadata.name ?? ''],
    ['batch.kubernetes.io/job-name', metadata.name ?? ''],
  ] as const;
  const faults = expected.flatMap(([key, value]) => {
    if (labels[key] === undefined) return [requiredField(path.key(key), `must be '${value}'`)];
    return labels[key] === value ? [] : [invalidField(path.key(key), sortedKeys(labels), `must be '${value}'`)];
  });
  const { selector } = spec;
  if (selector && selects(selector, Object.fromEntries(expected)) === false) {
    const shown = selector.matchLabels ? { ...selector, matchLabels: sortedKeys(selector.matchLabels) } : selector;
    faults.push(invalidField(specPath.child('selector'), shown, '`selector` not auto-generated'));
  }
  return faults;
}

function jobChanges({ spec }: Job, old: Job): readonly FieldError[] {
  const fixed = [
    'selector',
    'completionMode',
    'podFailurePolicy',
    'backoffLimitPerIndex',
    'managedBy',
    'successPolicy',
  ] as const;
  const faults = [
    ...fixed.flatMap((field) => immutable(spec[field], { old: old.spec[field], path: specPath.child(field) })),
    ...jobTemplateChanges(spec.template, old),
  ];
  const elastic = spec.completionMode === 'Indexed' && spec.completions === spec.parallelism;
  if (elastic) return faults;
  const completions = specPath.child('completions');
  if (spec.completionMode !== 'Indexed') {
    return [...faults, ...immutable(spec.completions, { old: old.spec.completions, path: completions })];
  }
  if (spec.completions === undefined || spec.completions === old.spec.completions) return faults;
  const detail = 'can only be modified in tandem with spec.parallelism';
  return [...faults, invalidField(completions, spec.completions, detail)];
}

function cronJobFaults(spec: CronJobSpec): readonly FieldError[] {
  const jobPath = specPath.child('jobTemplate', 'spec');
  const { selector, manualSelector } = spec.jobTemplate.spec;
  return [
    ...required<string>(scheduleFaults)(spec.schedule, specPath.child('schedule')),
    ...fields<CronJobSpec>({
      startingDeadlineSeconds: nonNegative,
      timeZone: present(timeZoneFaults),
      concurrencyPolicy: required(enumOf('Allow', 'Forbid', 'Replace')),
    })(spec, specPath),
    ...jobFaults(spec.jobTemplate.spec, { path: jobPath, selector: false }),
    ...(selector
      ? [invalidField(jobPath.child('selector'), shownSelector(selector), '`selector` will be auto-generated')]
      : []),
    ...(manualSelector ? [unsupportedField(jobPath.child('manualSelector'), true, ['nil', 'false'])] : []),
    ...fields<CronJobSpec>({ successfulJobsHistoryLimit: nonNegative, failedJobsHistoryLimit: nonNegative })(
      spec,
      specPath,
    ),
  ];
}
