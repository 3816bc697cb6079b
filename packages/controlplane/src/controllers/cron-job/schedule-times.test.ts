import { describe, expect, it } from 'vitest';
import { parseSchedule } from './cron-schedule.ts';
import { lastDue, msUntilNext } from './schedule-times.ts';

const at = (text: string): number => Date.parse(`2026-01-${text}Z`);
const input = (schedule: string, since: string, now: string) => ({
  schedule: parseSchedule(schedule),
  sinceMs: at(since),
  nowMs: at(now),
});

describe('lastDue', () => {
  it.each([
    // Columns: schedule, last run, now, due time, missed runs.
    ['0 * * * *', '05T10:00:00', '05T10:59:59', undefined, 'none'],
    ['0 * * * *', '05T10:00:00', '05T11:00:00', '05T11:00:00', 'none'],
    ['0 * * * *', '05T10:00:00', '05T12:00:00', '05T12:00:00', 'few'],
    ['0 * * * *', '05T10:00:00', '09T13:59:00', '09T13:00:00', 'few'],
    ['0 * * * *', '05T10:00:00', '09T15:00:00', '09T15:00:00', 'many'],
    ['30 6-16/4 * * 1-5', '02T14:30:00', '05T10:29:00', '05T06:30:00', 'none'],
    ['30 6-16/4 * * 1-5', '01T14:30:00', '05T15:29:00', '05T14:30:00', 'few'],
    ['@every 90m', '05T10:10:00', '05T13:00:00', '05T11:40:00', 'none'],
    ['@every 90m', '05T10:10:00', '05T16:30:00', '05T16:10:00', 'few'],
  ])('%s, last run at %s, now %s: due at %s', (schedule, since, now, due, missed) => {
    const expected = { dueMs: due === undefined ? undefined : at(due), missed };
    expect(lastDue(input(schedule, since, now))).toEqual(expected);
  });

  it('ignores runs before the starting deadline', () => {
    const hourly = input('0 * * * *', '05T10:00:00', '20T12:10:00');
    expect(lastDue({ ...hourly, startingDeadlineMs: 60_000 })).toEqual({ dueMs: undefined, missed: 'none' });
    expect(lastDue({ ...hourly, startingDeadlineMs: 660_000 }).missed).toBe('none');
  });

  it('rejects a schedule that never matches', () => {
    const never = input('59 23 31 2 *', '05T10:00:00', '05T10:00:00');
    expect(() => lastDue(never)).toThrow('time difference between two schedules is less than 1 second');
    expect(msUntilNext(never)).toBeUndefined();
  });
});

describe('msUntilNext', () => {
  it.each([
    ['0 * * * *', '05T10:00:00', '05T10:20:00', 40 * 60_000],
    ['0 * * * *', '05T10:00:00', '05T11:00:00', 60 * 60_000],
    ['0 * * * *', '05T10:00:00', '07T10:30:00', 30 * 60_000],
  ])('%s, last run at %s, now %s', (schedule, since, now, expected) => {
    expect(msUntilNext(input(schedule, since, now))).toBe(expected + 100);
  });

  it('runs once a day for a year in a time zone with daylight saving time', () => {
    const schedule = parseSchedule('TZ=America/New_York 30 2 * * *');
    let nowMs = at('01T12:00:00');
    let sinceMs = nowMs;
    const runs: string[] = [];
    while (nowMs < Date.UTC(2027, 0, 1)) {
      nowMs += msUntilNext({ schedule, sinceMs, nowMs }) ?? Number.POSITIVE_INFINITY;
      const { dueMs, missed } = lastDue({ schedule, sinceMs, nowMs });
      expect(missed).toBe('none');
      sinceMs = dueMs ?? 0;
      runs.push(new Date(sinceMs).toISOString());
    }
    expect(runs).toHaveLength(364);
    expect(runs.filter((run) => /-03-0[789]|-10-31|-11-0[12]/.test(run))).toEqual([
      '2026-03-07T07:30:00.000Z',
      '2026-03-09T06:30:00.000Z',
      '2026-10-31T06:30:00.000Z',
      '2026-11-01T07:30:00.000Z',
      '2026-11-02T07:30:00.000Z',
    ]);
  });
});
