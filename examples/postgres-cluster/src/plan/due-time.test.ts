import { describe, expect, it } from 'vitest';
import { parseSchedule } from './due-time.ts';

const date = (text: string) => new Date(text);

describe('parseSchedule', () => {
  it('follows the time zone through daylight saving', () => {
    const nightly = parseSchedule('30 1 * * *', 'Europe/Berlin');
    expect(nightly.next(date('2026-03-28T12:00:00Z'))).toEqual(date('2026-03-29T00:30:00Z'));
    expect(nightly.next(date('2026-03-29T12:00:00Z'))).toEqual(date('2026-03-29T23:30:00Z'));
  });

  it.each([
    ['nothing before the first time', '2026-01-01T02:59:59Z', undefined],
    ['the time itself', '2026-01-01T03:00:00Z', '2026-01-01T03:00:00Z'],
    ['one time', '2026-01-01T04:59:59Z', '2026-01-01T03:00:00Z'],
    ['only the last of several', '2026-01-05T12:00:00Z', '2026-01-05T03:00:00Z'],
  ])('finds %s', (_, now, due) => {
    const schedule = parseSchedule('0 3 * * *');
    expect(schedule.lastDue(date('2026-01-01T00:00:00Z'), date(now))).toEqual(due && date(due));
  });

  it('returns no time twice', () => {
    const at = date('2026-01-01T03:00:00Z');
    expect(parseSchedule('0 3 * * *').lastDue(at, date('2026-01-01T03:00:30Z'))).toBeUndefined();
  });

  it('knows a schedule without any time', () => {
    expect(parseSchedule('0 0 31 2 *').next(date('2026-01-01T00:00:00Z'))).toBeUndefined();
  });

  it.each([
    ['* * *', undefined],
    ['0 0 0 * * *', undefined],
    ['99 * * * *', undefined],
    ['* * * * *', 'Mars/Phobos'],
  ])('refuses %j in the zone %j', (expression, zone) => {
    expect(() => parseSchedule(expression, zone)).toThrow();
  });
});
