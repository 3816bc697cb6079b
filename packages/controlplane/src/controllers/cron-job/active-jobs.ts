import type { Stored } from '@kubewright/apimachinery';
import type { CronJob, CronJobStatus, Job } from '@kubewright/apimachinery/batch/v1';
import type { ObjectReference } from '@kubewright/apimachinery/core/v1';
import { defined } from '@kubewright/apimachinery/internal';
import type { CoreEventNote } from '../core-event-recorder.ts';
import { finishedCondition } from '../job/job-conditions.ts';

/** An event about a cron job. */
export type CronJobNote = Omit<CoreEventNote, 'about'>;

/** The result of {@link observeJobs}: a cron job's status, updated from its jobs, and the events to record. */
export interface ObservedJobs {
  readonly status: CronJobStatus;
  readonly notes: readonly CronJobNote[];
  /** Active jobs in the status that were not among the given jobs. Look them up live, because the cache may be stale. */
  readonly unseen: readonly ObjectReference[];
}

/**
 * Removes finished jobs from the status's active list, and records the latest success. Mirrors the start of `syncCronJob` (1.36).
 */
export function observeJobs({ status = {} }: CronJob, jobs: readonly Job[]): ObservedJobs {
  const notes: CronJobNote[] = [];
  let { active = [], lastSuccessfulTime } = status;
  for (const job of jobs) {
    const { uid, name } = job.metadata;
    const isActive = active.some((reference) => reference.uid === uid);
    const finished = finishedCondition(job);
    if (!finished) {
      if (isActive) continue;
      const message = `Saw a job that the controller did not create or forgot: ${name}`;
      notes.push({ type: 'Warning', reason: 'UnexpectedJob', message });
      continue;
    }
    if (isActive) {
      active = active.filter((reference) => reference.uid !== uid);
      notes.push({ reason: 'SawCompletedJob', message: `Saw completed job: ${name}, condition: ${finished.type}` });
    }
    const { completionTime } = job.status ?? {};
    if (finished.type !== 'Complete' || completionTime === undefined) continue;
    // All times have the same format, so they can be compared as strings.
    if (lastSuccessfulTime === undefined || completionTime > lastSuccessfulTime) lastSuccessfulTime = completionTime;
  }
  const present = new Set(jobs.map(({ metadata }) => metadata.uid));
  return {
    status: withActive({ ...status, ...defined({ lastSuccessfulTime }) }, active),
    notes,
    unseen: active.filter(({ uid }) => !present.has(uid)),
  };
}

/** Returns the status with its list of active jobs replaced. */
export function withActive(status: CronJobStatus, active: readonly ObjectReference[]): CronJobStatus {
  const { active: _before, ...rest } = status;
  return active.length === 0 ? rest : { active, ...rest };
}

/** Returns a reference to a job for the status's active list. */
export function referenceTo({ metadata }: Stored<Job>): ObjectReference {
  const { namespace, name, uid, resourceVersion } = metadata;
  return { kind: 'Job', namespace, name, uid, apiVersion: 'batch/v1', resourceVersion };
}

/** Returns the finished jobs that exceed the history limits: the oldest successful jobs and the oldest failed jobs. */
export function surplusJobs({ spec }: CronJob, jobs: readonly Stored<Job>[]): readonly Stored<Job>[] {
  const over = (type: 'Complete' | 'Failed', limit: number | undefined): readonly Stored<Job>[] => {
    if (limit === undefined) return [];
    const finished = jobs.filter((job) => finishedCondition(job)?.type === type).sort(byStart);
    return finished.slice(0, Math.max(0, finished.length - limit));
  };
  return [...over('Complete', spec?.successfulJobsHistoryLimit), ...over('Failed', spec?.failedJobsHistoryLimit)];
}

/** Orders jobs by start time, then by name. Jobs that never started come last. */
function byStart(a: Stored<Job>, b: Stored<Job>): number {
  const start = ({ status }: Job): string => status?.startTime ?? '~';
  const name = ({ metadata }: Stored<Job>): string => metadata.name;
  const [left, right] = start(a) === start(b) ? [name(a), name(b)] : [start(a), start(b)];
  return left < right ? -1 : 1;
}
