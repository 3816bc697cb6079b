import type { ObjectOf } from '@kubewright/apimachinery';
import type { Condition } from '@kubewright/apimachinery/meta/v1';
import { defineKind } from '@kubewright/runtime';

export interface PostgresPoolerSpec {
  /** Name of the `PostgresCluster`. @maxLength 253 @immutable */
  readonly cluster: string;
  /** Service of the cluster to connect to: `rw` for the primary, `ro` for the replicas, `r` for all instances. @default rw */
  readonly type?: 'rw' | 'ro' | 'r';
  /** Number of PgBouncer pods. @minimum 0 @maximum 100 @default 1 @int32 */
  readonly instances?: number;
  /** Time at which a server connection returns to the pool: after the client's session, or after each transaction. @default session */
  readonly poolMode?: 'session' | 'transaction';
  /** PgBouncer settings. Settings that the operator manages are rejected. @maxProperties 100 */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Pauses PgBouncer, for example during maintenance: clients stay connected, and their queries wait. */
  readonly paused?: boolean;
}

export interface PostgresPoolerStatus {
  /** Number of pods that exist. @int32 */
  readonly instances?: number;
  /** Number of pods that accept connections. @int32 */
  readonly readyInstances?: number;
  /** Label selector of the pods. */
  readonly selector?: string;
  /** @int64 */
  readonly observedGeneration?: number;
  /** @listType map @listMapKey type */
  readonly conditions?: readonly Condition[];
}

/**
 * A PgBouncer connection pool for a PostgreSQL cluster. Clients connect to the Service of the same name, with their usual roles
 * and passwords.
 *
 * @rule self.metadata.name.size() <= 50
 * @message the name must have at most 50 characters, because pod names append a suffix
 */
export const PostgresPooler = defineKind<PostgresPoolerSpec, PostgresPoolerStatus>({
  group: 'database.db.example.com',
  version: 'v1',
  kind: 'PostgresPooler',
  scale: {
    specReplicasPath: '.spec.instances',
    statusReplicasPath: '.status.instances',
    labelSelectorPath: '.status.selector',
  },
  columns: [
    { name: 'Cluster', type: 'string', jsonPath: '.spec.cluster' },
    { name: 'Type', type: 'string', jsonPath: '.spec.type' },
    { name: 'Instances', type: 'integer', jsonPath: '.spec.instances' },
    { name: 'Ready', type: 'integer', jsonPath: '.status.readyInstances' },
  ],
});
export type PostgresPooler = ObjectOf<typeof PostgresPooler>;
