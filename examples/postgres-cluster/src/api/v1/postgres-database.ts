import type { ObjectOf } from '@kubewright/apimachinery';
import type { Condition } from '@kubewright/apimachinery/meta/v1';
import { defineKind } from '@kubewright/runtime';

export interface PostgresDatabaseSpec {
  /** Name of the `PostgresCluster`. @maxLength 253 @immutable */
  readonly cluster: string;
  /** Name in PostgreSQL. @minLength 1 @maxLength 63 @immutable @rule !(self in ['postgres', 'template0', 'template1']) @message this database belongs to PostgreSQL */
  readonly name: string;
  /** Role that owns the database. It must exist. @minLength 1 @maxLength 63 */
  readonly owner: string;
  /** Extensions to install. Other extensions are left unchanged. @listType set @maxItems 50 @items.maxLength 63 */
  readonly extensions?: readonly string[];
  /** Maximum number of concurrent connections; -1 for no limit. @int32 @minimum -1 @default -1 */
  readonly connectionLimit?: number;
  /** `Delete` drops the database when this object is deleted. @default Retain */
  readonly reclaimPolicy?: 'Retain' | 'Delete';
}

export interface PostgresDatabaseStatus {
  /** True if the database in PostgreSQL matches the spec. */
  readonly applied?: boolean;
  /** The reason why `applied` is false. */
  readonly message?: string;
  /** @int64 */
  readonly observedGeneration?: number;
  /** @listType map @listMapKey type */
  readonly conditions?: readonly Condition[];
}

/** A database in a PostgreSQL cluster. */
export const PostgresDatabase = defineKind<PostgresDatabaseSpec, PostgresDatabaseStatus>({
  group: 'database.db.example.com',
  version: 'v1',
  kind: 'PostgresDatabase',
  columns: [
    { name: 'Cluster', type: 'string', jsonPath: '.spec.cluster' },
    { name: 'PG name', type: 'string', jsonPath: '.spec.name' },
    { name: 'Applied', type: 'boolean', jsonPath: '.status.applied' },
    { name: 'Message', type: 'string', jsonPath: '.status.message' },
  ],
});
export type PostgresDatabase = ObjectOf<typeof PostgresDatabase>;
