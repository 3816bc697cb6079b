import type { ObjectOf } from '@kubewright/apimachinery';
import type { Condition } from '@kubewright/apimachinery/meta/v1';
import { defineKind } from '@kubewright/runtime';

/**
 * @rule self.replication.synchronous < self.instances
 * @message replication.synchronous must be less than instances: lower replication.synchronous or raise instances
 * @rule !has(self.parameters) || self.parameters.all(name, name.matches('^[A-Za-z_][A-Za-z0-9_]*([.][A-Za-z_][A-Za-z0-9_]*)?$'))
 * @message parameters must have names of settings: letters, digits and _, and one dot in those of extensions
 * @rule !has(self.image) || self.image.matches(':' + self.version + '([.-][A-Za-z0-9_.-]*)?(@sha256:[0-9a-f]{64})?$')
 * @message the tag of image must begin with version
 */
export interface PostgresClusterSpec {
  /** Major version of PostgreSQL. A higher one upgrades the data with pg_upgrade, for which all servers stop. @pattern ^\d+$ @maxLength 3 @default "15" */
  readonly version?: string;
  /** Image of the instances, instead of the operator's. Its tag begins with the version: `registry.example.com/postgres-instance:15.18`. @maxLength 512 */
  readonly image?: string;
  /** Number of servers: one primary, the others replicas. @minimum 1 @maximum 9 @default 3 @int32 */
  readonly instances?: number;
  readonly storage: Storage;
  /** Settings of PostgreSQL. Those that the operator manages are refused. @maxProperties 200 */
  readonly parameters?: Readonly<Record<string, string>>;
  /**
   * Lines of pg_hba.conf, such as `hostssl shop all 10.0.0.0/8 scram-sha-256`. They come after those that the operator needs, and before
   * the last one, which asks for a password. @maxItems 100 @items.maxLength 1024
   * @items.pattern ^(local|host|hostssl|hostnossl|hostgssenc|hostnogssenc)[ \t]
   */
  readonly hba?: readonly string[];
  /** @default {} */
  readonly replication?: Replication;
  readonly lease?: LeaseTiming;
  /** How the data directory of a new cluster is created. By default, with an empty database. @immutable */
  readonly bootstrap?: Bootstrap;
  readonly backup?: BackupTarget;
  /** Database and owner that are created in a new cluster. @immutable */
  readonly database?: { readonly name?: string; readonly owner?: string };
  /** Creates a Secret `NAME-superuser`, with which clients connect as `postgres`. To change the password, change it there. */
  readonly superuserAccess?: boolean;
  /** How the primary is restarted after its replicas: `unsupervised` switches over automatically, `supervised` waits until you request another primary. @default unsupervised */
  readonly updates?: 'unsupervised' | 'supervised';
  /** Group that the volumes of instances belong to. A volume of root is made writable for it. @minimum 1 @default 999 @int32 */
  readonly fsGroup?: number;
  /** Labels of the nodes that instances may run on. @maxProperties 50 */
  readonly nodeSelector?: Readonly<Record<string, string>>;
  /** Stops all changes by the operator, failover included. The servers keep running. */
  readonly paused?: boolean;
  /** Names of instances whose server must not run. @listType set @maxItems 9 */
  readonly fenced?: readonly string[];
  /** Stops all servers and keeps the data. */
  readonly hibernated?: boolean;
}

/**
 * @rule quantity(self.size).compareTo(quantity(oldSelf.size)) >= 0
 * @message volumes cannot shrink
 */
export interface Storage {
  /** Size of each instance's volume. It can grow. @quantity @default 1Gi */
  readonly size?: string;
  /** Policy for the volumes of deleted clusters and removed instances. @default Retain */
  readonly deletionPolicy?: 'Retain' | 'Delete';
  readonly storageClassName?: string;
}

export interface Replication {
  /**
   * How many replicas must confirm a commit before it is acknowledged. @minimum 0 @maximum 8 @default 0 @int32
   */
  readonly synchronous?: number;
  /** `required`: commits wait if too few replicas are connected. `preferred`: commits then wait only for the connected replicas. @default required */
  readonly durability?: 'required' | 'preferred';
  /** Time for which a failed primary may recover before another instance is promoted. @minimum 0 @default 0 @int32 */
  readonly failoverDelaySeconds?: number;
}

/**
 * Times of the lease that the primary holds.
 *
 * @rule self.retryPeriodSeconds < self.renewDeadlineSeconds && self.renewDeadlineSeconds < self.durationSeconds
 * @message retryPeriodSeconds must be less than renewDeadlineSeconds, and renewDeadlineSeconds less than durationSeconds
 */
export interface LeaseTiming {
  /** @minimum 3 @default 15 @int32 */
  readonly durationSeconds?: number;
  /** A primary that could not renew the lease for this long stops its server. @minimum 2 @default 10 @int32 */
  readonly renewDeadlineSeconds?: number;
  /** @minimum 1 @default 2 @int32 */
  readonly retryPeriodSeconds?: number;
}

/** @rule has(self.initdb) != has(self.restore) @message set either initdb or restore */
export interface Bootstrap {
  readonly initdb?: { readonly locale?: string; readonly encoding?: string };
  readonly restore?: Restore;
}

export interface Restore {
  /** Name of the `PostgresBackup` to start from. The newest one before the target if missing. @maxLength 253 */
  readonly backup?: string;
  /** Archive to read, and the name of the cluster that wrote it. */
  readonly from: { readonly cluster: string; readonly target: BackupTarget };
  readonly target?: RecoveryTarget;
}

/** Where recovery ends. The end of the archive if nothing is set. */
export interface RecoveryTarget {
  /** @format date-time */
  readonly time?: string;
  /** @pattern ^[0-9A-F]+/[0-9A-F]+$ */
  readonly lsn?: string;
  /** A name given with pg_create_restore_point. @maxLength 63 */
  readonly name?: string;
  /** Stops as soon as the backup is consistent. */
  readonly immediate?: boolean;
  /** Stops just before the target instead of after it. */
  readonly exclusive?: boolean;
}

/** Archive of WAL and base backups. @rule has(self.volume) != has(self.s3) @message set either volume or s3 */
export interface BackupTarget {
  /** A claim that all instances can mount. */
  readonly volume?: { readonly claimName: string; readonly path?: string };
  readonly s3?: S3Target;
  /** How many base backups are kept, with the WAL that they need. @minimum 1 @default 7 @int32 */
  readonly keep?: number;
}

export interface S3Target {
  /** For example `https://s3.example.com`. @maxLength 2048 */
  readonly endpoint: string;
  readonly bucket: string;
  readonly region?: string;
  readonly path?: string;
  /** Secret with the keys `accessKeyId` and `secretAccessKey`. */
  readonly credentialsSecret: string;
}

export interface PostgresClusterStatus {
  /** Major version of the data. It differs from `spec.version` until an upgrade has succeeded. */
  readonly version?: string;
  /** Image of the instances. */
  readonly image?: string;
  /** Written after a major upgrade: folder of the archive, instead of the cluster's name. */
  readonly archiveName?: string;
  readonly majorUpgrade?: MajorUpgrade;
  readonly phase?: string;
  readonly phaseReason?: string;
  /** Number of instances that exist. @int32 */
  readonly instances?: number;
  /** Number of instances that accept connections and, if replicas, stream from the primary. @int32 */
  readonly readyInstances?: number;
  /** Written by the operator: the instance that should be the primary. Empty while it is being chosen. */
  readonly targetPrimary?: string;
  /** When targetPrimary was last changed. @format date-time */
  readonly targetPrimaryTime?: string;
  /** Time at which the operator first found the primary failing. Failover starts `failoverDelaySeconds` later. @format date-time */
  readonly primaryFailingSince?: string;
  /** Written by the instance itself once it is the primary. */
  readonly currentPrimary?: string;
  /** The highest number that a name of an instance has had. @int32 */
  readonly lastInstance?: number;
  /** @int32 */
  readonly timeline?: number;
  /** Identifier of the database system, from pg_control. */
  readonly systemID?: string;
  /**
   * Written by the primary: each acknowledged commit is on its data and fulfils at least one of these quorums. Empty without `required`
   * synchronous replication. Several while the quorum changes. @listType atomic @maxItems 16
   */
  readonly failoverQuorums?: readonly FailoverQuorum[];
  /** @listType map @listMapKey name */
  readonly instanceStatuses?: readonly InstanceStatus[];
  /** @format date-time */
  readonly firstRecoverabilityPoint?: string;
  /** @format date-time */
  readonly lastBackup?: string;
  /** @int64 */
  readonly observedGeneration?: number;
  /** @listType map @listMapKey type */
  readonly conditions?: readonly Condition[];
}

/** A major upgrade that has begun, or has failed. */
export interface MajorUpgrade {
  /** `Checking`: the servers still run. `Stopping` and `Upgrading`: they do not. `Failed`: the old version runs again. */
  readonly phase: 'Checking' | 'Stopping' | 'Upgrading' | 'Failed';
  readonly from: string;
  readonly to: string;
  /** @format date-time */
  readonly startedAt: string;
  /** Why it has failed. */
  readonly message?: string;
}

/** Commits wait for any `standbyNumber` of the replicas `standbyNames`. */
export interface FailoverQuorum {
  /** @minimum 1 @int32 */
  readonly standbyNumber: number;
  /** @listType atomic @maxItems 64 */
  readonly standbyNames: readonly string[];
}

export interface InstanceStatus {
  readonly name: string;
  readonly role?: 'primary' | 'replica';
  readonly ready?: boolean;
  readonly lsn?: string;
  /** @int32 */
  readonly timeline?: number;
  /** Bytes that the replica is behind the primary. @int64 */
  readonly lagBytes?: number;
  readonly pendingRestart?: boolean;
  readonly message?: string;
}

/**
 * A PostgreSQL primary with replicas.
 *
 * @rule self.metadata.name.size() <= 40
 * @message the name must have at most 40 characters, because the names of pods and Services are longer
 */
export const PostgresCluster = defineKind<PostgresClusterSpec, PostgresClusterStatus>({
  group: 'database.db.example.com',
  version: 'v1',
  kind: 'PostgresCluster',
  scale: { specReplicasPath: '.spec.instances', statusReplicasPath: '.status.instances' },
  columns: [
    { name: 'Instances', type: 'integer', jsonPath: '.status.instances' },
    { name: 'Ready', type: 'integer', jsonPath: '.status.readyInstances' },
    { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
    { name: 'Primary', type: 'string', jsonPath: '.status.currentPrimary' },
  ],
});
export type PostgresCluster = ObjectOf<typeof PostgresCluster>;
