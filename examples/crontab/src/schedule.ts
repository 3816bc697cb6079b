import { Cron } from 'croner';

/** The maximum number of due times to count: a schedule that runs every second may have missed millions. */
const countLimit = 100;

/** The times of a cron expression in a time zone. */
export interface Schedule {
  /** Returns the first time after `date`, or undefined if none exists, for example for 31 February. */
  next(date: Date): Date | undefined;
  /** Returns the last time from `first` to `last`, both included, and the number of times before it, at most 100. */
  due(first: Date, last: Date): { readonly at: Date; readonly earlier: number } | undefined;
}

/**
 * Parses a cron expression.
 *
 * @throws TypeError when the expression or the time zone is invalid.
 */
export function parseSchedule(cronSpec: string, timeZone: string): Schedule {
  const cron = new Cron(cronSpec, { timezone: timeZone, mode: '5-or-6-parts' });
  // An unknown time zone is detected only when a time is computed.
  cron.nextRun();
  return {
    next: (date) => cron.nextRun(date) ?? undefined,
    due(first, last) {
      const times: Date[] = [];
      for (let at = cron.nextRun(new Date(first.getTime() - 1000)); at && at <= last; at = cron.nextRun(at)) {
        if (times.push(at) > countLimit) break;
      }
      // Beyond the limit, searches backwards from the end for the last time.
      const at = times.length > countLimit ? cron.previousRuns(1, new Date(last.getTime() + 1))[0] : times.at(-1);
      return at && { at, earlier: times.length - 1 };
    },
  };
}
