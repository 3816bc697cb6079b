import type { CronSchedule } from './cron-schedule.ts';

/** The times that decide when a cron job runs, in milliseconds. */
export interface ScheduleInput {
  readonly schedule: CronSchedule;
  /** The last scheduled time, or else the cron job's creation. */
  readonly sinceMs: number;
  /** How late a run may start; undefined for no limit. */
  readonly startingDeadlineMs?: number | undefined;
  readonly nowMs: number;
}

/** The result of {@link lastDue}. */
export interface DueTime {
  /** The latest scheduled time up to now; undefined if none is due. */
  readonly dueMs: number | undefined;
  readonly missed: 'none' | 'few' | 'many';
}

/** Number of missed runs from which a cron job reports too many. */
const manyMissed = 100;

/** A late timer must not wake the controller before the scheduled time. */
const paddingMs = 100;

/**
 * Returns the latest scheduled time that has not run. Earlier ones are skipped: a cron job that missed ten runs starts one.
 * Mirrors `mostRecentScheduleTime` (1.36), which estimates the number of missed runs from the distance of the first two.
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
  const distanceMs = second - first;
  const count = Math.floor((nowMs - first) / distanceMs) + 1;
  // Start one distance earlier, because the times of some schedules are unevenly spaced.
  let dueMs: number | undefined;
  for (
    let at = schedule.next(first + (count - 2) * distanceMs);
    at !== undefined && at <= nowMs;
    at = schedule.next(at)
  ) {
    dueMs = at;
  }
  return { dueMs, missed: count > manyMissed ? 'many' : 'few' };
}

/** Returns the time until the next run. Mirrors `nextScheduleTimeDuration` (1.36). */
export function msUntilNext({ schedule, sinceMs, nowMs }: ScheduleInput): number | undefined {
  let fromMs = nowMs;
  try {
    const { dueMs, missed } = lastDue({ schedule, sinceMs, nowMs });
    fromMs = dueMs ?? (missed === 'none' ? sinceMs : nowMs);
  } catch {
    // The schedule never matches: start from now.
  }
  const next = schedule.next(fromMs);
  return next === undefined ? undefined : next + paddingMs - nowMs;
}
