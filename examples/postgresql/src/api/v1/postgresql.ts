import type { ObjectOf } from '@kubewright/apimachinery';
import type { ObjectReference } from '@kubewright/apimachinery/core/v1';
import type { Condition } from '@kubewright/apimachinery/meta/v1';
import { defineKind } from '@kubewright/runtime';

/** What the user asks for. Fixed at creation: a running server keeps the user and password it was made with. */
export interface PostgresqlSpec {
  /** Owner of the default database. @defaultValue postgres */
  readonly defaultUser?: string;
  /** Spelling of `defaultUser` in older manifests. @deprecated use `defaultUser` */
  readonly defaultuser?: string;
  /** Password of the default user. */
  readonly password: string;
}

/** What the operator has seen. */
export interface PostgresqlStatus {
  readonly pgPhase?: 'pending' | 'up' | 'Failed';
  /** The pod that runs the server. */
  readonly active?: ObjectReference;
  readonly observedGeneration?: number;
  readonly conditions?: readonly Condition[];
}

export const Postgresql = defineKind<PostgresqlSpec, PostgresqlStatus>({
  group: 'database.db.example.com',
  version: 'v1',
  kind: 'Postgresql',
});
export type Postgresql = ObjectOf<typeof Postgresql>;
