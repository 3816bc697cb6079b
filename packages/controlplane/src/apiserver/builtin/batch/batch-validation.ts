import {
  checkDns1123Subdomain,
  type FieldError,
  FieldPath,
  invalidField,
  requiredField,
} from '@kubewright/apimachinery';
import type { CronJob, CronJobSpec, Job, JobSpec } from '../generated/drafts.ts';
import { enumOf, fields, immutable, nonNegative, present, required } from '../validation/check.ts';
import { type ValidationEntry, validationOf } from '../validation/kind-validation.ts';
import { labelSelector } from '../validation/rules.ts';
import { sortedKeys } from '../validation/sorted-keys.ts';
import { templateFaults } from '../validation/template-validation.ts';
import { indexedJobLimits } from './indexed-job-limits.ts';
import { scheduleFaults, timeZoneFaults } from './schedule.ts';

const SPEC = FieldPath.of('spec');
const CONTROLLER_UID = 'batch.kubernetes.io/controller-uid';
/** A cron job's name leaves room for the time that is appended to its jobs' names. */
const MAX_CRON_JOB_NAME = 52;

/** Rules of the batch group. */
export const batchValidation: readonly ValidationEntry[] = [
  validationOf<Job>('batch/v1/jobs', {
    validate: (job) => [...generatedSelectorFaults(job), ...jobFaults(job.spec, { path: SPEC, selector: true })],
    validateUpdate: jobChanges,
  }),
  validationOf<CronJob>('batch/v1/cronjobs', {
    validate: ({ spec }) => cronJobFaults(spec),
    validateName: (name) => [
      ...checkDns1123Subdomain(name),
      ...(name.length > MAX_CRON_JOB_NAME ? [`must be no more than ${MAX_CRON_JOB_NAME} characters`] : []),
    ],
  }),
];

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
    ...indexedJobLimits(spec, path),
  ];
  if (at.selector) {
    if (!spec.selector) faults.push(requiredField(path.child('selector')));
    else faults.push(...labelSelector(spec.selector, path.child('selector')));
  }
  return [...faults, ...jobTemplateFaults(spec, at)];
}

function jobTemplateFaults(
  spec: JobSpec,
  at: { readonly path: FieldPath; readonly selector: boolean },
): readonly FieldError[] {
  const template = at.path.child('template');
  const { restartPolicy } = spec.template.spec;
  const selector = at.selector ? (spec.selector ?? IMPOSSIBLE) : undefined;
  const faults = templateFaults(spec.template, { path: template, selector, restartPolicies: ['OnFailure', 'Never'] });
  if (restartPolicy !== 'Always') return faults;
  return [...faults, requiredField(template.child('spec', 'restartPolicy'), 'valid values: "OnFailure", "Never"')];
}

/** Chooses nothing: what upstream takes an absent selector for. */
const IMPOSSIBLE = {
  matchExpressions: [
    { key: 'a', operator: 'Exists' },
    { key: 'a', operator: 'DoesNotExist' },
  ],
};

/** Labels that the server generates must not contradict what the user wrote. */
function generatedSelectorFaults({ metadata, spec }: Job): readonly FieldError[] {
  if (spec.manualSelector) return [];
  const uid = metadata.uid ?? '';
  const labels = spec.template.metadata.labels ?? {};
  const path = SPEC.child('template', 'metadata', 'labels');
  const expected = [
    ['controller-uid', uid],
    [CONTROLLER_UID, uid],
    ['job-name', metadata.name ?? ''],
    ['batch.kubernetes.io/job-name', metadata.name ?? ''],
  ] as const;
  const faults = expected.flatMap(([key, value]) => {
    if (labels[key] === undefined) return [requiredField(path.key(key), `must be '${value}'`)];
    return labels[key] === value ? [] : [invalidField(path, labels, `must be '${value}'`)];
  });
  const selector = sortedKeys(spec.selector?.matchLabels ?? {});
  const generated =
    Object.keys(selector).length === 1 && (selector[CONTROLLER_UID] ?? selector['controller-uid']) === uid;
  if (!generated || (spec.selector?.matchExpressions ?? []).length > 0) {
    faults.push(
      invalidField(
        SPEC.child('selector'),
        { ...spec.selector, matchLabels: selector },
        '`selector` not auto-generated',
      ),
    );
  }
  return faults;
}

function jobChanges({ spec }: Job, old: Job): readonly FieldError[] {
  const fixed = [
    'selector',
    'template',
    'completionMode',
    'podFailurePolicy',
    'backoffLimitPerIndex',
    'managedBy',
    'successPolicy',
  ] as const;
  // A suspended job that never ran may still be told where to run.
  const unstarted = old.spec.suspend === true && !old.status.startTime;
  const faults = fixed
    .filter((field) => !(field === 'template' && unstarted))
    .flatMap((field) => immutable(spec[field], { old: old.spec[field], path: SPEC.child(field) }));
  const elastic = spec.completionMode === 'Indexed' && spec.completions === spec.parallelism;
  if (elastic) return faults;
  return [...faults, ...immutable(spec.completions, { old: old.spec.completions, path: SPEC.child('completions') })];
}

function cronJobFaults(spec: CronJobSpec): readonly FieldError[] {
  return [
    ...required<string>(scheduleFaults)(spec.schedule, SPEC.child('schedule')),
    ...fields<CronJobSpec>({
      startingDeadlineSeconds: nonNegative,
      timeZone: present(timeZoneFaults),
      concurrencyPolicy: required(enumOf('Allow', 'Forbid', 'Replace')),
    })(spec, SPEC),
    ...jobFaults(spec.jobTemplate.spec, { path: SPEC.child('jobTemplate', 'spec'), selector: false }),
    ...fields<CronJobSpec>({ successfulJobsHistoryLimit: nonNegative, failedJobsHistoryLimit: nonNegative })(
      spec,
      SPEC,
    ),
  ];
}
