import type { ObjectOf } from '@kubewright/apimachinery';
import type { Condition } from '@kubewright/apimachinery/meta/v1';
import { defineKind } from '@kubewright/runtime';

export interface PostgresBackupSpec {
  /** Name of the `PostgresCluster`. @maxLength 253 @immutable */
  readonly cluster: string;
  /** `incremental` needs PostgreSQL 17 or newer, and is based on the newest backup. @default full @immutable */
  readonly type?: 'full' | 'incremental';
  /** Role of the instance to copy from. @default replica @immutable */
  readonly from?: 'primary' | 'replica';
}

export interface PostgresBackupStatus {
  readonly phase?: 'Pending' | 'Running' | 'Completed' | 'Failed';
  readonly error?: string;
  /** The backup's folder in the archive. */
  readonly id?: string;
  readonly instance?: string;
  readonly beginLSN?: string;
  readonly endLSN?: string;
  readonly beginWAL?: string;
  readonly endWAL?: string;
  /** @int32 */
  readonly timeline?: number;
  /** @format date-time */
  readonly startedAt?: string;
  /** @format date-time */
  readonly stoppedAt?: string;
  /** @int64 */
  readonly sizeBytes?: number;
  /** @int64 */
  readonly observedGeneration?: number;
  /** @listType map @listMapKey type */
  readonly conditions?: readonly Condition[];
}

/** One base backup of a PostgreSQL cluster. */
export const PostgresBackup = defineKind<PostgresBackupSpec, PostgresBackupStatus>({
  group: 'database.db.example.com',
  version: 'v1',
  kind: 'PostgresBackup',
  columns: [
    { name: 'Cluster', type: 'string', jsonPath: '.spec.cluster' },
    { name: 'Type', type: 'string', jsonPath: '.spec.type' },
    { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
    { name: 'Error', type: 'string', jsonPath: '.status.error' },
  ],
});
export type PostgresBackup = ObjectOf<typeof PostgresBackup>;
