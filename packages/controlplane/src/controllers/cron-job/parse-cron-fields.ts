import type { CronFields } from './cron-fields.ts';

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

interface Field {
  readonly values: ReadonlySet<number>;
  /** True if the field contains `*` or `?` without a step. */
  readonly any: boolean;
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const bounds = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: months },
  { min: 0, max: 6, names: weekdays },
] as const;

/**
 * Parses the five fields of a cron expression: minute, hour, day of month, month, weekday.
 *
 * @throws Error with the message of robfig/cron v3.
 */
export function parseCronFields(text: string): CronFields {
  const parts = text.split(/\s+/).filter((part) => part !== '');
  if (parts.length !== 5) throw new Error(`expected exactly 5 fields, found ${parts.length}: [${parts.join(' ')}]`);
  const [minute, hour, dayOfMonth, month, weekday] = bounds.map((of, index) => parseField(parts[index] ?? '', of));
  return {
    minutes: valuesOf(minute),
    hours: valuesOf(hour),
    daysOfMonth: valuesOf(dayOfMonth),
    months: valuesOf(month),
    weekdays: valuesOf(weekday),
    anyDay: dayOfMonth?.any === true || weekday?.any === true,
  };
}

function valuesOf(field: Field | undefined): ReadonlySet<number> {
  return field?.values ?? new Set();
}

function parseField(text: string, of: Bounds): Field {
  const ranges = text
    .split(',')
    .filter((range) => range !== '')
    .map((range) => parseRange(range, of));
  return { values: new Set(ranges.flatMap(({ values }) => [...values])), any: ranges.some(({ any }) => any) };
}

/** Parses `number | number "-" number | "*"`, each with an optional `"/" step`. */
function parseRange(text: string, of: Bounds): Field {
  const [range = '', stepText, ...moreSteps] = text.split('/');
  const [low = '', high, ...moreBounds] = range.split('-');
  const isStar = low === '*' || low === '?';
  let start = of.min;
  let end = of.max;
  if (!isStar) {
    start = parseNumber(low, of.names);
    if (moreBounds.length > 0) throw new Error(`too many hyphens: ${text}`);
    end = high === undefined ? start : parseNumber(high, of.names);
  }
  if (moreSteps.length > 0) throw new Error(`too many slashes: ${text}`);
  const step = stepText === undefined ? 1 : parseNumber(stepText);
  // N/step means N-max/step.
  if (stepText !== undefined && high === undefined) end = of.max;
  if (start < of.min) throw new Error(`beginning of range (${start}) below minimum (${of.min}): ${text}`);
  if (end > of.max) throw new Error(`end of range (${end}) above maximum (${of.max}): ${text}`);
  if (start > end) throw new Error(`beginning of range (${start}) beyond end of range (${end}): ${text}`);
  if (step === 0) throw new Error(`step of range should be a positive number: ${text}`);
  const values = new Set<number>();
  for (let value = start; value <= end; value += step) values.add(value);
  return { values, any: isStar && step === 1 };
}

function parseNumber(text: string, names: readonly string[] = []): number {
  const named = names.indexOf(text.toLowerCase());
  // Months count from 1.
  if (named >= 0) return names === months ? named + 1 : named;
  if (!/^[+-]?\d+$/.test(text)) {
    throw new Error(`failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`);
  }
  const value = Number(text);
  if (value < 0) throw new Error(`negative number (${value}) not allowed: ${text}`);
  return value;
}
