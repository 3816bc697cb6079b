import type { TimeZone, ZonedTime } from './zoned-time.ts';

/** The values that match each field of a cron expression. */
export interface CronFields {
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly daysOfMonth: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  readonly weekdays: ReadonlySet<number>;
  /** True if the day of month or the weekday is `*`. In this case, both must match; otherwise, one match is enough. */
  readonly anyDay: boolean;
}

const secondMs = 1000;
const minuteMs = 60_000;
const hourMs = 3_600_000;
const maxYears = 5;
const midnight = { hour: 0, minute: 0, second: 0 };

/**
 * Returns the first matching time after an instant, or undefined if no time within five years matches. Mirrors
 * `SpecSchedule.Next` of robfig/cron v3, including daylight saving transitions: a local time that is skipped does not
 * match that day, and a repeated local time can match twice.
 */
export function nextMatch(
  fields: CronFields,
  { afterMs, zone }: { readonly afterMs: number; readonly zone: TimeZone },
): number | undefined {
  // A list without values, such as `,`, is valid but never matches.
  if (fields.hours.size === 0 || fields.minutes.size === 0) return undefined;
  let t = afterMs + secondMs - (afterMs % secondMs);
  const lastYear = zone.at(t).year + maxYears;
  // The first time a field is advanced, the smaller fields restart at their lowest value.
  let restarted = false;
  const restart = (start: number): number => {
    if (!restarted) t = start;
    restarted = true;
    return t;
  };
  wrap: for (;;) {
    let local = zone.at(t);
    if (local.year > lastYear) return undefined;
    while (!fields.months.has(local.month)) {
      local = zone.at(restart(zone.instantOf({ ...local, day: 1, ...midnight })));
      t = zone.instantOf({ ...local, month: local.month + 1 });
      local = zone.at(t);
      if (local.month === 1) continue wrap;
    }
    while (!matchesDay(fields, local)) {
      local = zone.at(restart(zone.instantOf({ ...local, ...midnight })));
      t = nearMidnight(zone, zone.instantOf({ ...local, day: local.day + 1 }));
      local = zone.at(t);
      if (local.day === 1) continue wrap;
    }
    while (!fields.hours.has(local.hour)) {
      t = restart(zone.instantOf({ ...local, minute: 0, second: 0 })) + hourMs;
      local = zone.at(t);
      if (local.hour === 0) continue wrap;
    }
    while (!fields.minutes.has(local.minute)) {
      t = restart(t - (t % minuteMs)) + minuteMs;
      local = zone.at(t);
      if (local.minute === 0) continue wrap;
    }
    // Cron expressions have no seconds, so a match must fall on the start of a minute.
    if (local.second === 0) return t;
    t = restart(t) + (60 - local.second) * secondMs;
  }
}

function matchesDay({ daysOfMonth, weekdays, anyDay }: CronFields, { day, weekday }: ZonedTime): boolean {
  const byDate = daysOfMonth.has(day);
  const byWeekday = weekdays.has(weekday);
  return anyDay ? byDate && byWeekday : byDate || byWeekday;
}

/** Corrects a start of day that a daylight saving transition moved away from midnight. */
function nearMidnight(zone: TimeZone, t: number): number {
  const { hour } = zone.at(t);
  if (hour === 0) return t;
  return hour > 12 ? t + (24 - hour) * hourMs : t - hour * hourMs;
}
