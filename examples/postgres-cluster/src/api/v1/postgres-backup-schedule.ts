import type { ObjectOf } from '@kubewright/apimachinery';
import type { Condition } from '@kubewright/apimachinery/meta/v1';
import { defineKind } from '@kubewright/runtime';
import type { PostgresBackupSpec } from './postgres-backup.ts';

export interface PostgresBackupScheduleSpec {
  /** Name of the `PostgresCluster`. @maxLength 253 */
  readonly cluster: string;
  /** Cron expression with five fields. @maxLength 100 */
  readonly schedule: string;
  /** Time zone of the schedule, for example `Europe/Berlin`. @default UTC @maxLength 100 */
  readonly timeZone?: string;
  readonly suspend?: boolean;
  readonly type?: PostgresBackupSpec['type'];
  /** Restore drill, which restores the newest backup to a temporary server and queries it. */
  readonly drill?: Drill;
}

export interface Drill {
  /** Schedule of the drill, as a cron expression with five fields. @maxLength 100 */
  readonly schedule: string;
  /** Query that must return at least one row in the restored database. @default "SELECT 1" @maxLength 65536 */
  readonly query?: string;
  /** Database in which the query runs. @default postgres @maxLength 63 */
  readonly database?: string;
}

export interface PostgresBackupScheduleStatus {
  /** @format date-time */
  readonly lastScheduleTime?: string;
  /** @format date-time */
  readonly nextScheduleTime?: string;
  /** Name of the newest completed `PostgresBackup`. */
  readonly lastBackup?: string;
  /** @format date-time */
  readonly lastDrillTime?: string;
  readonly lastDrill?: DrillResult;
  /** @int64 */
  readonly observedGeneration?: number;
  /** @listType map @listMapKey type */
  readonly conditions?: readonly Condition[];
}

export interface DrillResult {
  readonly backup: string;
  /** @format date-time */
  readonly finishedAt: string;
  readonly succeeded: boolean;
  readonly message?: string;
  /** Time from the start of the restore to the result of the query. @int32 */
  readonly durationSeconds?: number;
}

/** A schedule of backups and of restore drills, which test that backups can be restored. */
export const PostgresBackupSchedule = defineKind<PostgresBackupScheduleSpec, PostgresBackupScheduleStatus>({
  group: 'database.db.example.com',
  version: 'v1',
  kind: 'PostgresBackupSchedule',
  columns: [
    { name: 'Cluster', type: 'string', jsonPath: '.spec.cluster' },
    { name: 'Schedule', type: 'string', jsonPath: '.spec.schedule' },
    { name: 'Last backup', type: 'string', jsonPath: '.status.lastBackup' },
    { name: 'Drill', type: 'boolean', jsonPath: '.status.lastDrill.succeeded' },
  ],
});
export type PostgresBackupSchedule = ObjectOf<typeof PostgresBackupSchedule>;
