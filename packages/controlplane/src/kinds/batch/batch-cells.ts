import { ageOf, humanDuration } from '@kubewright/apiserver/internal';
import type { CronJob, Job } from '../generated/drafts.ts';
import { containerTexts, orNone, selectorText } from '../table/cell-text.ts';
import { type CellsEntry, cellsOf } from '../table/kind-cells.ts';

/** Table rows of the batch group. */
export const batchCells: readonly CellsEntry[] = [
  cellsOf<CronJob>('batch/v1/cronjobs', ({ metadata, spec, status }, nowMs) => [
    metadata.name,
    spec.schedule,
    orNone(spec.timeZone),
    spec.suspend === undefined ? '<unset>' : spec.suspend ? 'True' : 'False',
    (status.active ?? []).length,
    status.lastScheduleTime ? ageOf(status.lastScheduleTime, nowMs) : '<none>',
    ageOf(metadata.creationTimestamp, nowMs),
    ...containerTexts(spec.jobTemplate.spec.template.spec.containers),
    selectorText(spec.jobTemplate.spec.selector),
  ]),
  cellsOf<Job>('batch/v1/jobs', (job, nowMs) => [
    job.metadata.name,
    statusOf(job),
    completionsOf(job),
    durationOf(job, nowMs),
    ageOf(job.metadata.creationTimestamp, nowMs),
    ...containerTexts(job.spec.template.spec.containers),
    selectorText(job.spec.selector),
  ]),
];

function completionsOf({ spec, status }: Job): string {
  const succeeded = status.succeeded ?? 0;
  if (spec.completions !== undefined) return `${succeeded}/${spec.completions}`;
  const parallelism = spec.parallelism ?? 0;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function durationOf({ status }: Job, nowMs: number): string {
  if (!status.startTime) return '';
  const end = status.completionTime ? Date.parse(status.completionTime) : nowMs;
  return humanDuration(end - Date.parse(status.startTime));
}

function statusOf({ metadata, status }: Job): string {
  const has = (wanted: string): boolean =>
    (status.conditions ?? []).some((c) => c.type === wanted && c.status === 'True');
  if (has('Complete')) return 'Complete';
  if (has('Failed')) return 'Failed';
  if (metadata.deletionTimestamp) return 'Terminating';
  return ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'].find(has) ?? 'Running';
}
