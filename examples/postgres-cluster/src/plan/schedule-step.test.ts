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

  it('creates the backup that is due', () => {
    expect(decide({})).toMatchObject({ backup: date('01T03:00'), nextBackup: date('02T03:00') });
    const status = { lastScheduleTime: '2026-01-01T03:00:00Z' };
    expect(decide({ status }).backup).toBeUndefined();
  });

  it('creates one backup after several were missed', () => {
    expect(decide({ now: date('05T02:00') }).backup).toEqual(date('04T03:00'));
  });

  it('creates nothing for times before the schedule existed', () => {
    expect(decide({ createdAt: date('01T04:00') }).backup).toBeUndefined();
  });

  it.each(['Pending', 'Running'] as const)('waits for a backup that is %s', (phase) => {
    expect(decide({ backups: [backup('a', phase)] }).backup).toBeUndefined();
    expect(decide({ backups: [backup('a', 'Failed')] }).backup).toEqual(date('01T03:00'));
  });

  it('does nothing while suspended', () => {
    const spec = { cluster: 'shop', schedule: '0 3 * * *', suspend: true };
    expect(decide({ spec })).toMatchObject({ backup: undefined, nextBackup: undefined, wakeAt: undefined });
  });

  it('starts a drill once there is a backup', () => {
    // 4 January 2026 is a Sunday.
    const now = date('04T07:00');
    const status = { lastBackup: 'a', lastScheduleTime: '2026-01-04T03:00:00Z' };
    expect(decide({ now }).drill).toBeUndefined();
    expect(decide({ now, status }).drill).toEqual(date('04T06:00'));
    expect(decide({ now, status, isDrillRunning: true }).drill).toBeUndefined();
    expect(decide({ now, status: { ...status, lastDrillTime: '2026-01-04T06:00:00Z' } }).drill).toBeUndefined();
  });

  it('wakes for whatever is due first', () => {
    expect(decide({ now: date('03T12:00') }).wakeAt).toEqual(date('04T03:00'));
    expect(decide({ now: date('04T04:00') }).wakeAt).toEqual(date('04T06:00'));
  });

  it('keeps the newest completed and failed backups, and those that run', () => {
    const backups = [
      backup('a', 'Completed', '01'),
      backup('b', 'Completed', '02'),
      backup('c', 'Failed', '03'),
      backup('d', 'Completed', '04'),
      backup('e', 'Running', '05'),
    ];
    expect(decide({ backups }).surplus).toEqual(['a']);
  });

  it('reports invalid schedules', () => {
    expect(() => decide({ spec: { cluster: 'shop', schedule: 'daily' } })).toThrow();
    expect(() => decide({ spec: { cluster: 'shop', schedule: '0 3 * * *', timeZone: 'Mars' } })).toThrow();
  });
});
