import type { ObjectOf } from '@kubewright/apimachinery';
import type { Condition } from '@kubewright/apimachinery/meta/v1';
import { defineKind } from '@kubewright/runtime';

/** The command to run, and its schedule. */
export interface CronTabSpec {
  /** Cron expression: minute, hour, day of month, month, day of week. An optional first field sets seconds. */
  readonly cronSpec: string;
  /** Image of the pods. */
  readonly image: string;
  /** Command of the pods. Defaults to the command of the image. */
  readonly command?: readonly string[];
  /** Number of pods per run. @integer @minimum 1 @default 1 */
  readonly replicas?: number;
  /** Time zone of `cronSpec`, by its IANA name. @default "Etc/UTC" */
  readonly timeZone?: string;
  /** Pauses the schedule. Runs that are due while it is paused are skipped. */
  readonly suspend?: boolean;
  /** Deadline for starting a run after its scheduled time. Runs that miss it are skipped. @integer @minimum 1 */
  readonly startingDeadlineSeconds?: number;
  /** Number of finished Jobs to keep. @integer @minimum 0 @default 3 */
  readonly historyLimit?: number;
}

/** The observed state of the schedule. */
export interface CronTabStatus {
  /** The time for which the last run was scheduled. @dateTime */
  readonly lastScheduleTime?: string;
  /** The time of the next run; unset while suspended. @dateTime */
  readonly nextScheduleTime?: string;
  /** Number of runs that were due but did not start. @integer */
  readonly missedRuns?: number;
  /** Names of unfinished Jobs. @listType atomic */
  readonly active?: readonly string[];
  /** The generation that this status describes. @int64 */
  readonly observedGeneration?: number;
  /** Standard conditions. @listType map @listMapKey type */
  readonly conditions?: readonly Condition[];
}

/**
 * Starts a Job at each time of a cron expression.
 *
 * @rule self.metadata.name.size() <= 52
 * @message the name must have at most 52 characters, because the Jobs' names add 11
 */
export const CronTab = defineKind<CronTabSpec, CronTabStatus>({
  group: 'stable.example.com',
  version: 'v1',
  kind: 'CronTab',
  shortNames: ['ct'],
  columns: [
    { name: 'Schedule', type: 'string', jsonPath: '.spec.cronSpec' },
    { name: 'Suspend', type: 'boolean', jsonPath: '.spec.suspend' },
    { name: 'Last', type: 'string', jsonPath: '.status.lastScheduleTime' },
    { name: 'Next', type: 'string', jsonPath: '.status.nextScheduleTime' },
  ],
});
export type CronTab = ObjectOf<typeof CronTab>;
