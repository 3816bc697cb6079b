import { describe, expect, it } from 'vitest';
import { nextScheduleStep, type ObservedSchedule, type ScheduledBackup } from './schedule-step.ts';

const date = (text: string) => new Date(`2026-01-${text}:00Z`);

describe('nextScheduleStep', () => {
  const decide = (part: Partial<ObservedSchedule>) =>
    nextScheduleStep({
      spec: { cluster: 'shop', schedule: '0 3 * * *', drill: { schedule: '0 6 * * 0' } },
      status: {},
      createdAt: date('01T00:00'),
      now: date('01T12:00'),
      backups: [],
      isDrillRunning: false,
      keep: 2,
      ...part,
    });
  const backup = (name: string, phase: ScheduledBackup['phase'], day = '01') => ({
    name,
    phase,
    createdAt: `2026-01-${day}T03:00:00Z`,
  });

  it('creates a due backup once', () => {
    expect(decide({})).toMatchObject({ backup: date('01T03:00'), nextBackup: date('02T03:00') });
    const status = { lastScheduleTime: '2026-01-01T03:00:00Z' };
    expect(decide({ status }).backup).toBeUndefined();
  });

  it('creates only one backup after several were missed', () => {
    expect(decide({ now: date('05T02:00') }).backup).toEqual(date('04T03:00'));
  });

  it('creates no backup for times before the schedule was created', () => {
    expect(decide({ createdAt: date('01T04:00') }).backup).toBeUndefined();
  });

  it.each(['Pending', 'Running'] as const)('creates no backup while another backup is %s', (phase) => {
    expect(decide({ backups: [backup('a', phase)] }).backup).toBeUndefined();
    expect(decide({ backups: [backup('a', 'Failed')] }).backup).toEqual(date('01T03:00'));
  });

  it('does nothing while suspended', () => {
    const spec = { cluster: 'shop', schedule: '0 3 * * *', suspend: true };
    expect(decide({ spec })).toMatchObject({ backup: undefined, nextBackup: undefined, wakeAt: undefined });
  });

  it('starts a due drill once a backup has completed', () => {
    // 4 January 2026 is a Sunday.
    const now = date('04T07:00');
    const status = { lastBackup: 'a', lastScheduleTime: '2026-01-04T03:00:00Z' };
    expect(decide({ now }).drill).toBeUndefined();
    expect(decide({ now, status }).drill).toEqual(date('04T06:00'));
    expect(decide({ now, status, isDrillRunning: true }).drill).toBeUndefined();
    expect(decide({ now, status: { ...status, lastDrillTime: '2026-01-04T06:00:00Z' } }).drill).toBeUndefined();
  });

  it('wakes up for the next backup or drill, whichever is earlier', () => {
    expect(decide({ now: date('03T12:00') }).wakeAt).toEqual(date('04T03:00'));
    expect(decide({ now: date('04T04:00') }).wakeAt).toEqual(date('04T06:00'));
  });

  it('deletes the oldest completed backups, but no running backup', () => {
    const backups = [
      backup('a', 'Completed', '01'),
      backup('b', 'Completed', '02'),
      backup('c', 'Failed', '03'),
      backup('d', 'Completed', '04'),
      backup('e', 'Running', '05'),
    ];
    expect(decide({ backups }).surplus).toEqual(['a']);
  });

  it('throws for an invalid schedule or time zone', () => {
    expect(() => decide({ spec: { cluster: 'shop', schedule: 'daily' } })).toThrow();
    expect(() => decide({ spec: { cluster: 'shop', schedule: '0 3 * * *', timeZone: 'Mars' } })).toThrow();
  });
});
