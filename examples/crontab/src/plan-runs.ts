import type { Stored } from '@kubewright/apimachinery';
import type { CronTab, CronTabStatus } from './api/v1/cron-tab.ts';
import type { Schedule } from './schedule.ts';

/** A Job of a CronTab. */
export interface Run {
  readonly name: string;
  readonly isFinished: boolean;
}

/** The next actions for a CronTab. */
export interface RunPlan {
  /** The scheduled time of the run to start. */
  readonly start?: Date;
  /** Names of finished Jobs beyond the history limit, oldest first. */
  readonly surplus: readonly string[];
  /** Number of missed runs. */
  readonly missed: number;
  readonly status: CronTabStatus;
  /** The time to plan again. */
  readonly next?: Date;
}

/** Decides what to do, based on the spec, the status, the Jobs (the oldest first) and the time. */
export function planRuns(
  { metadata, spec, status }: Stored<CronTab>,
  { schedule, runs, now }: { readonly schedule: Schedule; readonly runs: readonly Run[]; readonly now: Date },
): RunPlan {
  const { suspend = false, startingDeadlineSeconds = Number.POSITIVE_INFINITY, historyLimit = 3 } = spec;
  // Only the first plan has no status. Without a next time, the schedule was suspended, so no missed runs are started.
  const since = status === undefined ? metadata.creationTimestamp : status.nextScheduleTime;
  const due = suspend || since === undefined ? undefined : schedule.due(new Date(since), now);
  const isInTime = due !== undefined && now.getTime() - due.at.getTime() <= startingDeadlineSeconds * 1000;
  const missed = due === undefined ? 0 : due.earlier + (isInTime ? 0 : 1);
  const next = suspend ? undefined : schedule.next(now);

  const finished = runs.filter(({ isFinished }) => isFinished).map(({ name }) => name);
  const started = isInTime ? [runName(metadata.name, due.at)] : [];
  const active = runs.filter(({ isFinished }) => !isFinished).map(({ name }) => name);
  const last = isInTime ? timestamp(due.at) : status?.lastScheduleTime;
  return {
    ...(isInTime && { start: due.at }),
    surplus: finished.slice(0, Math.max(finished.length - historyLimit, 0)),
    missed,
    status: {
      ...(last && { lastScheduleTime: last }),
      ...(next && { nextScheduleTime: timestamp(next) }),
      missedRuns: (status?.missedRuns ?? 0) + missed,
      active: [...new Set([...active, ...started])],
    },
    ...(next && { next }),
  };
}

/**
 * Returns the name of a run's Job. Each scheduled time has its own name, so that a run cannot start twice, even if the
 * status was not written.
 */
export function runName(cronTab: string, at: Date): string {
  return `${cronTab}-${at.getTime() / 1000}`;
}

function timestamp(date: Date): string {
  return date.toISOString().replace('.000Z', 'Z');
}
