import { parseDurationMs } from '@kubewright/apimachinery';
import { messageOf } from '../pods/pod-control.ts';
import { type CronFields, nextMatch } from './cron-fields.ts';
import { parseCronFields } from './parse-cron-fields.ts';
import { TimeZone } from './zoned-time.ts';

/** A parsed schedule. */
export interface CronSchedule {
  /** Returns the first scheduled time after an instant, or undefined if no time within five years matches. */
  next(ms: number): number | undefined;
}

const everyMinute: CronFields = parseCronFields('* * * * *');
const utc = new TimeZone('');
const zero = new Set([0]);
const first = new Set([1]);

const yearly: CronFields = { ...everyMinute, minutes: zero, hours: zero, daysOfMonth: first, months: first };
const monthly: CronFields = { ...everyMinute, minutes: zero, hours: zero, daysOfMonth: first };
const daily: CronFields = { ...everyMinute, minutes: zero, hours: zero };
const descriptors: ReadonlyMap<string, CronFields> = new Map([
  ['@yearly', yearly],
  ['@annually', yearly],
  ['@monthly', monthly],
  ['@weekly', { ...daily, weekdays: zero }],
  ['@daily', daily],
  ['@midnight', daily],
  ['@hourly', { ...everyMinute, minutes: zero }],
]);

/**
 * Parses a schedule: five fields, or a descriptor such as `@daily` or `@every 1h30m`. A time zone may precede it, as in
 * `TZ=<zone>`. Mirrors `ParseStandard` of robfig/cron v3.
 *
 * @throws Error with the message of robfig/cron.
 */
export function parseSchedule(text: string): CronSchedule {
  if (text === '') throw new Error('empty spec string');
  const [, name, rest] = /^(?:CRON_)?TZ=([^ ]*) (.*)$/s.exec(text) ?? [];
  if (name === undefined || rest === undefined) return scheduleIn(utc, text);
  return scheduleIn(locationOf(name), rest.trim());
}

function locationOf(name: string): TimeZone {
  try {
    return new TimeZone(name);
  } catch (cause) {
    throw new Error(`provided bad location ${name}: ${messageOf(cause)}`, { cause });
  }
}

function scheduleIn(zone: TimeZone, text: string): CronSchedule {
  if (!text.startsWith('@')) return matching(parseCronFields(text), zone);
  const fields = descriptors.get(text);
  if (fields) return matching(fields, zone);
  const every = '@every ';
  if (!text.startsWith(every)) throw new Error(`unrecognized descriptor: ${text}`);
  return { next: constantDelay(text, text.slice(every.length)) };
}

function matching(fields: CronFields, zone: TimeZone): CronSchedule {
  return { next: (ms) => nextMatch(fields, { afterMs: ms, zone }) };
}

/**
 * Returns a function that adds a fixed delay. As in robfig/cron, the delay is at least one second and is truncated to whole
 * seconds, and results fall on whole seconds.
 */
function constantDelay(descriptor: string, text: string): (ms: number) => number {
  let delayMs: number;
  try {
    delayMs = parseDurationMs(text);
  } catch (cause) {
    throw new Error(`failed to parse duration ${descriptor}: time: invalid duration ${JSON.stringify(text)}`, {
      cause,
    });
  }
  const wholeMs = Math.max(1, Math.floor(delayMs / 1000)) * 1000;
  return (ms) => ms + wholeMs - (ms % 1000);
}
