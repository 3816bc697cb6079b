import { invalidField } from '@kubewright/apimachinery';
import type { Check } from '../validation/check.ts';

interface CronField {
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const fields: readonly CronField[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: months },
  { min: 0, max: 6, names: days },
];
const descriptors = ['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly'];

/** Validates a cron schedule, which has five fields or is a descriptor. Errors match upstream's parser. */
export const scheduleFaults: Check<string> = (value = '', path) => {
  if (value.includes('TZ')) {
    return [invalidField(path, value, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead')];
  }
  const fault = value.startsWith('@') ? descriptorFault(value) : fieldsFault(value);
  return fault === undefined ? [] : [invalidField(path, value, fault)];
};

/** Validates the name of a time zone, which must be in this machine's time zone database. */
export const timeZoneFaults: Check<string> = (value = '', path) => {
  if (value === '') return [invalidField(path, value, 'timeZone must be nil or non-empty string')];
  if (value.toLowerCase() === 'local')
    return [
      invalidField(path, value, 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones'),
    ];
  try {
    new Intl.DateTimeFormat('en', { timeZone: value });
    return [];
  } catch {
    // Intl throws a RangeError for an unknown zone.
    return [invalidField(path, value, `unknown time zone ${value}`)];
  }
};

function descriptorFault(value: string): string | undefined {
  if (descriptors.includes(value)) return undefined;
  if (!value.startsWith('@every ')) return `unrecognized descriptor: ${value}`;
  const duration = value.slice('@every '.length);
  if (/^(\d+(\.\d*)?(ns|us|µs|ms|s|m|h))+$/.test(duration)) return undefined;
  return `failed to parse duration ${value}: time: invalid duration "${duration}"`;
}

function fieldsFault(value: string): string | undefined {
  const parts = value
    .trim()
    .split(/\s+/)
    .filter((part) => part !== '');
  if (parts.length !== fields.length) return `expected exactly 5 fields, found ${parts.length}: [${parts.join(' ')}]`;
  for (const [index, part] of parts.entries()) {
    for (const range of part.split(',')) {
      const fault = rangeFault(range, fields[index] as CronField);
      if (fault !== undefined) return fault;
    }
  }
  return undefined;
}

function rangeFault(text: string, field: CronField): string | undefined {
  const [range = '', step, ...more] = text.split('/');
  if (more.length > 0) return `too many slashes: ${text}`;
  const [low = '', high, ...rest] = range.split('-');
  if (rest.length > 0) return `too many hyphens: ${text}`;
  const any = low === '*' || low === '?';
  const start = any ? field.min : numberOf(low, field);
  if (typeof start === 'string') return start;
  const end = any ? field.max : high === undefined ? (step === undefined ? start : field.max) : numberOf(high, field);
  if (typeof end === 'string') return end;
  const stride = step === undefined ? 1 : numberOf(step, { min: 0, max: field.max });
  if (typeof stride === 'string') return stride;
  if (start < field.min) return `beginning of range (${start}) below minimum (${field.min}): ${text}`;
  if (end > field.max) return `end of range (${end}) above maximum (${field.max}): ${text}`;
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${text}`;
  return stride === 0 ? `step of range should be a positive number: ${text}` : undefined;
}

function numberOf(text: string, field: CronField): number | string {
  const named = field.names?.indexOf(text.toLowerCase()) ?? -1;
  if (named >= 0) return named + field.min;
  if (/^\d+$/.test(text)) return Number(text);
  return `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`;
}
