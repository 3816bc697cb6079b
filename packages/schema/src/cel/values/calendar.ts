import { fail } from '../errors.ts';
import type { CelTimestamp } from './timestamp.ts';

/** Calendar fields of a time in a time zone. */
export interface Calendar {
  readonly year: number;
  /** 0 … 11 */
  readonly month: number;
  /** 1 … 31 */
  readonly day: number;
  /** 0 … 365 */
  readonly dayOfYear: number;
  /** 0 (Sunday) … 6 */
  readonly dayOfWeek: number;
  readonly hours: number;
  readonly minutes: number;
  readonly seconds: number;
}

/** Returns the fields of a time in a zone: a name from the time zone database, or an offset like `-08:00`. */
export function calendarOf(time: CelTimestamp, zone = 'UTC'): Calendar {
  const shifted = new Date((time.seconds + offsetSeconds(time, zone)) * 1000);
  const year = shifted.getUTCFullYear();
  const newYear = new Date(0);
  newYear.setUTCFullYear(year, 0, 1);
  return {
    year,
    month: shifted.getUTCMonth(),
    day: shifted.getUTCDate(),
    dayOfYear: Math.floor((shifted.getTime() - newYear.getTime()) / 86_400_000),
    dayOfWeek: shifted.getUTCDay(),
    hours: shifted.getUTCHours(),
    minutes: shifted.getUTCMinutes(),
    seconds: shifted.getUTCSeconds(),
  };
}

function offsetSeconds(time: CelTimestamp, zone: string): number {
  if (zone === 'UTC' || zone === '') return 0;
  const fixed = /^([+-]?)(\d{1,2}):(\d{2})$/.exec(zone);
  if (fixed !== null) {
    const minutes = Number(fixed[2]) * 60 + Number(fixed[3]);
    return (fixed[1] === '-' ? -minutes : minutes) * 60;
  }
  return namedOffset(time, zone);
}

function namedOffset(time: CelTimestamp, zone: string): number {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
      era: 'short',
    });
  } catch {
    // The zone does not exist.
    return fail(`unknown time zone ${zone}`);
  }
  const parts = new Map(format.formatToParts(time.seconds * 1000).map(({ type, value }) => [type, value]));
  const field = (name: Intl.DateTimeFormatPartTypes): number => Number(parts.get(name));
  const local = new Date(0);
  local.setUTCFullYear(parts.get('era') === 'BC' ? 1 - field('year') : field('year'), field('month') - 1, field('day'));
  local.setUTCHours(field('hour'), field('minute'), field('second'));
  return local.getTime() / 1000 - time.seconds;
}
