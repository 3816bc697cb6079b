import { Cron } from 'croner';

/** Times of a cron expression in a time zone. */
export interface Schedule {
  /** The first time after an instant; undefined if none exists, as for 31 February. */
  next(after: Date): Date | undefined;
  /** The last time after `after`, up to and including `now`; undefined if none has come. */
  lastDue(after: Date, now: Date): Date | undefined;
}

/**
 * Parses a cron expression with five fields.
 *
 * @throws Error if the expression or the time zone is invalid
 */
export function parseSchedule(expression: string, timeZone = 'UTC'): Schedule {
  const cron = new Cron(expression, { timezone: timeZone, mode: '5-part' });
  // Only a computation reveals an unknown time zone.
  cron.nextRun();
  return {
    next: (after) => cron.nextRun(after) ?? undefined,
    lastDue(after, now) {
      const first = cron.nextRun(after);
      if (!first || first > now) return undefined;
      return cron.previousRuns(1, new Date(now.getTime() + 1000))[0] ?? first;
    },
  };
}
