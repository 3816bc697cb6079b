import type { PostgresBackupScheduleSpec, PostgresBackupScheduleStatus } from '../api/v1/postgres-backup-schedule.ts';
import { parseSchedule } from './due-time.ts';

/** A `PostgresBackup` that the schedule created. */
export interface ScheduledBackup {
  readonly name: string;
  readonly createdAt: string;
  readonly phase: 'Pending' | 'Running' | 'Completed' | 'Failed';
}

export interface ObservedSchedule {
  readonly spec: PostgresBackupScheduleSpec;
  readonly status: PostgresBackupScheduleStatus;
  readonly createdAt: Date;
  readonly now: Date;
  readonly backups: readonly ScheduledBackup[];
  readonly isDrillRunning: boolean;
  /** Number of completed `PostgresBackup` objects to keep. */
  readonly keep: number;
}

/** A schedule's current actions, and the time of its next action. */
export interface ScheduleStep {
  /** Scheduled time of the backup to create now. Earlier missed times are skipped. */
  readonly backup: Date | undefined;
  /** Scheduled time of the drill to start now. */
  readonly drill: Date | undefined;
  /** Names of the `PostgresBackup` objects to delete. */
  readonly surplus: readonly string[];
  readonly nextBackup: Date | undefined;
  /** Time at which the next backup or drill is due. */
  readonly wakeAt: Date | undefined;
}

/** Number of failed `PostgresBackup` objects to keep. */
const keptFailures = 3;

/**
 * Decides what is due. A backup waits until the previous one has ended; a drill waits for a completed backup.
 *
 * @throws Error if a schedule or the time zone is invalid
 */
export function nextScheduleStep(observed: ObservedSchedule): ScheduleStep {
  const { spec, status, createdAt, now, backups, isDrillRunning } = observed;
  const surplus = surplusOf(observed);
  const schedule = parseSchedule(spec.schedule, spec.timeZone);
  const drills = spec.drill && parseSchedule(spec.drill.schedule, spec.timeZone);
  if (spec.suspend) return { backup: undefined, drill: undefined, surplus, nextBackup: undefined, wakeAt: undefined };
  const since = (time: string | undefined) => (time === undefined ? createdAt : new Date(time));
  const due = schedule.lastDue(since(status.lastScheduleTime), now);
  const isBusy = backups.some(({ phase }) => phase === 'Pending' || phase === 'Running');
  const drillDue = drills?.lastDue(since(status.lastDrillTime), now);
  const hasBackup = status.lastBackup !== undefined;
  const nextBackup = schedule.next(now);
  const times = [nextBackup, drills?.next(now)].filter((time) => time !== undefined);
  return {
    backup: isBusy ? undefined : due,
    drill: isDrillRunning || !hasBackup ? undefined : drillDue,
    surplus,
    nextBackup,
    wakeAt: times.sort((a, b) => a.getTime() - b.getTime())[0],
  };
}

function surplusOf({ backups, keep }: ObservedSchedule): readonly string[] {
  const newestFirst = [...backups].sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1));
  const ended = (phase: string, count: number) => newestFirst.filter((one) => one.phase === phase).slice(count);
  return [...ended('Completed', keep), ...ended('Failed', keptFailures)].map(({ name }) => name);
}
