import { Cron } from 'croner';

/** A cron schedule in a time zone. */
export interface Schedule {
  /** Returns the first scheduled time after `after`, or undefined if none exists, for example for 31 February. */
  next(after: Date): Date | undefined;
  /** Returns the latest scheduled time in (`after`, `now`], or undefined if none exists. */
  lastDue(after: Date, now: Date): Date | undefined;
}

/**
 * Parses a cron expression with five fields.
 *
 * @throws Error if the expression or the time zone is invalid
 */
export function parseSchedule(expression: string, timeZone = 'UTC'): Schedule {
  const cron = new Cron(expression, { timezone: timeZone, mode: '5-part' });
  // Computes a time, because the constructor does not reject an unknown time zone.
  cron.nextRun();
  return {
    next: (after) => cron.nextRun(after) ?? undefined,
    lastDue(after, now) {
      const first = cron.nextRun(after);
      if (!first || first > now) return undefined;
      // croner counts in seconds, so the search starts from the next full second and goes backwards.
      const nextSecond = new Date((Math.floor(now.getTime() / 1000) + 1) * 1000);
      return cron.previousRuns(1, nextSecond)[0] ?? first;
    },
  };
}
