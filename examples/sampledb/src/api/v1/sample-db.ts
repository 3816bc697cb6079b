import type { ObjectOf } from '@kubewright/apimachinery';
import type { Condition } from '@kubewright/apimachinery/meta/v1';
import { defineKind } from '@kubewright/runtime';

export interface SampleDBSpec {
  /**
   * Major version of PostgreSQL. Raising it upgrades the database.
   *
   * @pattern ^\d+$
   * @maxLength 3
   * @rule int(self) >= int(oldSelf)
   * @message the version cannot be lowered, because an older server cannot load the data of a newer one
   */
  readonly version: string;
  /** Size of the volume with the data. @quantity @default 1Gi @immutable */
  readonly storage?: string;
  /** SQL that runs once, when the database is created. @maxLength 65536 @immutable */
  readonly initialize?: string;
  /** Schedule of backups, as a cron expression. If unset, no backups are taken. @maxLength 100 */
  readonly backupSchedule?: string;
}

export interface SampleDBStatus {
  /** The version whose installation or upgrade is complete. */
  readonly version?: string;
  /** The version that is being installed or upgraded to. */
  readonly target?: string;
  /** @int64 */
  readonly observedGeneration?: number;
  /** @listType map @listMapKey type */
  readonly conditions?: readonly Condition[];
}

/**
 * A database with backups, upgrades, and a snapshot before its deletion.
 *
 * @rule self.metadata.name.size() <= 40
 * @message the name must have at most 40 characters, because Job names append a suffix
 */
export const SampleDB = defineKind<SampleDBSpec, SampleDBStatus>({
  group: 'samples.example.com',
  version: 'v1',
  kind: 'SampleDB',
  columns: [
    { name: 'Version', type: 'string', jsonPath: '.status.version' },
    { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: 'Backups', type: 'string', jsonPath: '.spec.backupSchedule' },
  ],
});
export type SampleDB = ObjectOf<typeof SampleDB>;
