import type { ObjectOf } from '@kubewright/apimachinery';
import type { ObjectReference } from '@kubewright/apimachinery/core/v1';
import type { Condition } from '@kubewright/apimachinery/meta/v1';
import { defineKind } from '@kubewright/runtime';

/**
 * The desired state, which is fixed at creation: a running server keeps its user and password.
 *
 * @rule !has(self.defaultUser) || !has(self.defaultuser) || self.defaultUser == self.defaultuser
 * @message defaultUser and its deprecated alias defaultuser must have the same value
 * @rule self == oldSelf
 * @message the user and password are fixed at creation; delete the object and create it again
 */
export interface PostgresqlSpec {
  /** Owner of the default database; defaults to "postgres". */
  readonly defaultUser?: UserName;
  /** @deprecated use defaultUser. */
  readonly defaultuser?: UserName;
  /** Password of the default user. @minLength 1 @maxLength 1024 */
  readonly password: string;
}

/** @maxLength 63 @pattern ^[a-z_][a-z0-9_]*$ */
type UserName = string;

/** The observed state. */
export interface PostgresqlStatus {
  /** The phase of the server. */
  readonly pgPhase?: 'pending' | 'up' | 'Failed';
  /** The pod that runs the server. */
  readonly active?: ObjectReference;
  /** The generation of the spec that this status describes. @int64 */
  readonly observedGeneration?: number;
  /** Standard conditions; "Ready" is True if the server accepts connections. @listType map @listMapKey type */
  readonly conditions?: readonly Condition[];
}

/** A PostgreSQL server in a single pod. */
export const Postgresql = defineKind<PostgresqlSpec, PostgresqlStatus>({
  group: 'database.db.example.com',
  version: 'v1',
  kind: 'Postgresql',
  shortNames: ['pg'],
  columns: [
    { name: 'Phase', jsonPath: '.status.pgPhase' },
    { name: 'Active', jsonPath: '.status.active.name' },
    { name: 'Age', jsonPath: '.metadata.creationTimestamp', type: 'date' },
  ],
});
export type Postgresql = ObjectOf<typeof Postgresql>;
