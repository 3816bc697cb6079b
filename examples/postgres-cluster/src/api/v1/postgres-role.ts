import type { ObjectOf } from '@kubewright/apimachinery';
import type { Condition } from '@kubewright/apimachinery/meta/v1';
import { defineKind } from '@kubewright/runtime';

export interface PostgresRoleSpec {
  /** Name of the `PostgresCluster`. @maxLength 253 @immutable */
  readonly cluster: string;
  /** Name in PostgreSQL. @minLength 1 @maxLength 63 @immutable @rule self != 'postgres' && !(self in ['streaming_replica', 'postgres_operator', 'postgres_pooler']) && !self.startsWith('pg_') @message this role belongs to PostgreSQL or to the operator */
  readonly name: string;
  readonly login?: boolean;
  readonly superuser?: boolean;
  readonly createDatabases?: boolean;
  readonly createRoles?: boolean;
  readonly replication?: boolean;
  /** @default true */
  readonly inherit?: boolean;
  /** Maximum number of concurrent connections; -1 for no limit. @int32 @minimum -1 @default -1 */
  readonly connectionLimit?: number;
  /** Time at which the password expires. @format date-time */
  readonly validUntil?: string;
  /** Roles that this role is a member of. Other memberships are revoked. @listType set @maxItems 50 @items.maxLength 63 */
  readonly memberOf?: readonly string[];
  /** Secret whose key `password` has the role's password. If unset, the password is not managed. @maxLength 253 */
  readonly passwordSecret?: string;
  /** `Delete` drops the role when this object is deleted. @default Retain */
  readonly reclaimPolicy?: 'Retain' | 'Delete';
}

export interface PostgresRoleStatus {
  /** True if the role in PostgreSQL matches the spec. */
  readonly applied?: boolean;
  /** The reason why `applied` is false. */
  readonly message?: string;
  /** Resource version of the Secret whose password was last set. */
  readonly passwordVersion?: string;
  /** @int64 */
  readonly observedGeneration?: number;
  /** @listType map @listMapKey type */
  readonly conditions?: readonly Condition[];
}

/** A role in a PostgreSQL cluster. */
export const PostgresRole = defineKind<PostgresRoleSpec, PostgresRoleStatus>({
  group: 'database.db.example.com',
  version: 'v1',
  kind: 'PostgresRole',
  columns: [
    { name: 'Cluster', type: 'string', jsonPath: '.spec.cluster' },
    { name: 'PG name', type: 'string', jsonPath: '.spec.name' },
    { name: 'Applied', type: 'boolean', jsonPath: '.status.applied' },
    { name: 'Message', type: 'string', jsonPath: '.status.message' },
  ],
});
export type PostgresRole = ObjectOf<typeof PostgresRole>;
