import type { CronSchedule } from './cron-schedule.ts';

/** The times that decide when a cron job runs, in milliseconds. */
export interface ScheduleInput {
  readonly schedule: CronSchedule;
  /** The last scheduled time, or the cron job's creation time if no job was scheduled yet. */
  readonly sinceMs: number;
  /** Maximum delay of a job's start; undefined for no limit. */
  readonly startingDeadlineMs?: number | undefined;
  readonly nowMs: number;
}

/** The scheduled time that is due, and an estimate of the missed runs. */
export interface DueTime {
  /** The latest scheduled time up to now, or undefined if none is due. */
  readonly dueMs: number | undefined;
  readonly missed: 'none' | 'few' | 'many';
}

/** A cron job that misses more runs than this reports too many missed runs. */
const manyMissed = 100;

/** Added to each wait, so that an early timer does not wake the controller before the scheduled time. */
const paddingMs = 100;

/**
 * Returns the latest scheduled time that is due. Earlier missed times are skipped: a cron job that missed ten runs
 * starts one job. Mirrors `mostRecentScheduleTime` (1.36), which estimates the number of missed runs from the interval
 * between the first two runs.
 *
 * @throws Error if the schedule never matches, such as February 31.
 */
export function lastDue({ schedule, sinceMs, startingDeadlineMs, nowMs }: ScheduleInput): DueTime {
  const earliestMs = startingDeadlineMs === undefined ? sinceMs : Math.max(sinceMs, nowMs - startingDeadlineMs);
  const first = schedule.next(earliestMs);
  const second = first === undefined ? undefined : schedule.next(first);
  if (first === undefined || second === undefined) {
    throw new Error('time difference between two schedules is less than 1 second');
  }
  if (nowMs < first) return { dueMs: undefined, missed: 'none' };
  if (nowMs < second) return { dueMs: first, missed: 'none' };
  const intervalMs = second - first;
  const count = Math.floor((nowMs - first) / intervalMs) + 1;
  // Start one interval earlier, because some schedules are unevenly spaced.
  let dueMs: number | undefined;
  for (
    let at = schedule.next(first + (count - 2) * intervalMs);
    at !== undefined && at <= nowMs;
    at = schedule.next(at)
  ) {
    dueMs = at;
  }
  return { dueMs, missed: count > manyMissed ? 'many' : 'few' };
}

/**
 * Returns the time until the next run in milliseconds, or undefined if the schedule has no further times. Mirrors
 * `nextScheduleTimeDuration` (1.36).
 */
export function msUntilNext({ schedule, sinceMs, nowMs }: ScheduleInput): number | undefined {
  let fromMs = nowMs;
  try {
    const { dueMs, missed } = lastDue({ schedule, sinceMs, nowMs });
    fromMs = dueMs ?? (missed === 'none' ? sinceMs : nowMs);
  } catch {
    // The schedule never matches, so search from now.
  }
  const next = schedule.next(fromMs);
  return next === undefined ? undefined : next + paddingMs - nowMs;
}
