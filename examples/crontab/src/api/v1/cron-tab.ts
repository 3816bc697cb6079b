import type { ObjectOf } from '@kubewright/apimachinery';
import type { Condition } from '@kubewright/apimachinery/meta/v1';
import { defineKind } from '@kubewright/runtime';

/** The command to run, and its schedule. */
export interface CronTabSpec {
  /** Minute, hour, day of month, month, day of week. A sixth field in front of them counts seconds. */
  readonly cronSpec: string;
  /** Image of the pods. */
  readonly image: string;
  /** Command of the pods, instead of the image's. */
  readonly command?: readonly string[];
  /** Number of pods per run. @integer @minimum 1 @default 1 */
  readonly replicas?: number;
  /** Time zone of `cronSpec`, by its IANA name. @default "Etc/UTC" */
  readonly timeZone?: string;
  /** True to pause the schedule. Runs that fall due meanwhile are skipped. */
  readonly suspend?: boolean;
  /** How late a run may start. A run that could not start in time is missed. @integer @minimum 1 */
  readonly startingDeadlineSeconds?: number;
  /** Number of finished Jobs to keep. @integer @minimum 0 @default 3 */
  readonly historyLimit?: number;
}

/** The runs so far, and the next one. */
export interface CronTabStatus {
  /** The time for which the last run was scheduled. @dateTime */
  readonly lastScheduleTime?: string;
  /** The time of the next run; missing while suspended. @dateTime */
  readonly nextScheduleTime?: string;
  /** Number of runs that were due and never started. @integer */
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
