import { describe, expect, it } from 'vitest';
import { parseSchedule } from './due-time.ts';

const date = (text: string) => new Date(text);

describe('parseSchedule', () => {
  it('follows the time zone across a daylight saving change', () => {
    const nightly = parseSchedule('30 1 * * *', 'Europe/Berlin');
    expect(nightly.next(date('2026-03-28T12:00:00Z'))).toEqual(date('2026-03-29T00:30:00Z'));
    expect(nightly.next(date('2026-03-29T12:00:00Z'))).toEqual(date('2026-03-29T23:30:00Z'));
  });

  it.each([
    ['undefined before the first scheduled time', '2026-01-01T02:59:59Z', undefined],
    ['a time that is due right now', '2026-01-01T03:00:00Z', '2026-01-01T03:00:00Z'],
    ['a time that was due earlier', '2026-01-01T04:59:59Z', '2026-01-01T03:00:00Z'],
    ['only the latest of several due times', '2026-01-05T12:00:00Z', '2026-01-05T03:00:00Z'],
  ])('lastDue returns %s', (_, now, due) => {
    const schedule = parseSchedule('0 3 * * *');
    expect(schedule.lastDue(date('2026-01-01T00:00:00Z'), date(now))).toEqual(due && date(due));
  });

  it('lastDue does not return a time half a second ahead', () => {
    const after = date('2026-01-01T00:00:00Z');
    const due = parseSchedule('0 3 * * *').lastDue(after, date('2026-01-03T02:59:59.500Z'));
    expect(due).toEqual(date('2026-01-02T03:00:00Z'));
  });

  it('lastDue does not return the time that it starts from', () => {
    const at = date('2026-01-01T03:00:00Z');
    expect(parseSchedule('0 3 * * *').lastDue(at, date('2026-01-01T03:00:30Z'))).toBeUndefined();
  });

  it('next returns undefined if the schedule never matches', () => {
    expect(parseSchedule('0 0 31 2 *').next(date('2026-01-01T00:00:00Z'))).toBeUndefined();
  });

  it.each([
    ['* * *', undefined],
    ['0 0 0 * * *', undefined],
    ['99 * * * *', undefined],
    ['* * * * *', 'Mars/Phobos'],
  ])('rejects %j in the time zone %j', (expression, zone) => {
    expect(() => parseSchedule(expression, zone)).toThrow();
  });
});
