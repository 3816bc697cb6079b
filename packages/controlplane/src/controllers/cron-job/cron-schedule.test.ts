import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseSchedule } from './cron-schedule.ts';

interface Recorded {
  readonly schedule: string;
  readonly from?: string;
  readonly next?: readonly string[];
  readonly error?: string;
}

/** Recorded from robfig/cron v3 by `testdata/record.go`. */
const recorded = JSON.parse(
  readFileSync(new URL('./testdata/schedules.json', import.meta.url), 'utf8'),
) as readonly Recorded[];

describe('parseSchedule', () => {
  it('finds the same times as robfig/cron, including around daylight saving transitions', () => {
    for (const { schedule, from, next } of recorded) {
      if (from === undefined) continue;
      const { next: after } = parseSchedule(schedule);
      const times: string[] = [];
      for (let at = after(Date.parse(from)); at !== undefined && times.length < 3; at = after(at)) {
        times.push(new Date(at).toISOString().replace('.000', ''));
      }
      expect({ schedule, from, next: times }).toEqual({ schedule, from, next: next ?? [] });
    }
  });

  it('rejects the same schedules as robfig/cron, with the same messages', () => {
    const faults = recorded.filter(({ error }) => error !== undefined);
    expect(faults.length).toBeGreaterThan(20);
    for (const { schedule, error } of faults) expect(() => parseSchedule(schedule), schedule).toThrow(error ?? '');
  });
});
