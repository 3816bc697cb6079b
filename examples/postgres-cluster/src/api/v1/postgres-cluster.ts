import type { ObjectOf } from '@kubewright/apimachinery';
import type { ResourceRequirements, Toleration, TopologySpreadConstraint } from '@kubewright/apimachinery/core/v1';
import type { Condition } from '@kubewright/apimachinery/meta/v1';
import { defineKind } from '@kubewright/runtime';

/**
 * @rule self.replication.synchronous < self.instances
 * @message replication.synchronous must be less than instances: lower replication.synchronous or raise instances
 * @rule !has(self.parameters) || self.parameters.all(name, name.matches('^[A-Za-z_][A-Za-z0-9_]*([.][A-Za-z_][A-Za-z0-9_]*)?$'))
 * @message parameters must have valid setting names: letters, digits and _, with one dot in an extension setting
 * @rule !has(self.image) || self.image.matches(':' + self.version + '([.-][A-Za-z0-9_.-]*)?(@sha256:[0-9a-f]{64})?$')
 * @message the tag of image must begin with version
 */
export interface PostgresClusterSpec {
  /**
   * Major version of PostgreSQL. Raising it upgrades the data with pg_upgrade, while all servers are stopped. @pattern ^\d+$
   * @maxLength 3 @default "15"
   */
  readonly version?: string;
  /**
   * Image of the instances, instead of the operator's default. Its tag must begin with the version, for example
   * `registry.example.com/postgres-instance:15.18`. @maxLength 512
   */
  readonly image?: string;
  /** Number of instances: one primary, the others are replicas. @minimum 1 @maximum 9 @default 3 @int32 */
  readonly instances?: number;
  readonly storage: Storage;
  /** PostgreSQL settings. Settings that the operator manages are rejected. @maxProperties 200 */
  readonly parameters?: Readonly<Record<string, string>>;
  /**
   * Lines of pg_hba.conf, such as `hostssl shop all 10.0.0.0/8 scram-sha-256`. They are inserted after the operator's own lines,
   * and before the final line, which requires a password. @maxItems 100 @items.maxLength 1024
   * @items.pattern ^(local|host|hostssl|hostnossl|hostgssenc|hostnogssenc)[ \t]
   */
  readonly hba?: readonly string[];
  /** @default {} */
  readonly replication?: Replication;
  readonly lease?: LeaseTiming;
  /** Source of a new cluster's data. By default, the database is empty. @immutable */
  readonly bootstrap?: Bootstrap;
  readonly backup?: BackupTarget;
  /** Database and owner to create in a new cluster. @immutable */
  readonly database?: { readonly name?: string; readonly owner?: string };
  /** Creates the Secret `NAME-superuser` with the password of `postgres`. To change the password, edit the Secret. */
  readonly superuserAccess?: boolean;
  /**
   * Update of the primary after its replicas: `unsupervised` switches over automatically, `supervised` waits until you
   * request another primary. @default unsupervised
   */
  readonly updates?: 'unsupervised' | 'supervised';
  /** Group ID for which the instances' volumes are made writable (the pods' fsGroup). @minimum 1 @default 999 @int32 */
  readonly fsGroup?: number;
  /** Labels of the nodes that instances may run on. @maxProperties 50 */
  readonly nodeSelector?: Readonly<Record<string, string>>;
  /** CPU and memory of each instance. A change recreates the pods one at a time, the primary last. */
  readonly resources?: ResourceRequirements;
  /** Taints of nodes that instances may run on. @maxItems 50 */
  readonly tolerations?: readonly Toleration[];
  /**
   * Rule that instances run on different nodes: with `required`, an instance without a free node waits; with `preferred`, it shares
   * one. Different zones are always preferred. @default preferred
   */
  readonly podAntiAffinity?: 'preferred' | 'required';
  /** Constraints on the spread of instances. Without a `labelSelector`, they apply to the instances of this cluster. @maxItems 8 */
  readonly topologySpreadConstraints?: readonly TopologySpreadConstraint[];
  /** Stops all changes by the operator, including failover. The servers keep running. */
  readonly paused?: boolean;
  /** Names of instances whose servers must not run. @listType set @maxItems 9 */
  readonly fenced?: readonly string[];
  /** Stops all servers and keeps the data. */
  readonly hibernated?: boolean;
}

/**
 * @rule quantity(self.size).compareTo(quantity(oldSelf.size)) >= 0
 * @message volumes cannot shrink
 */
export interface Storage {
  /** Size of each instance's volume. It can only grow. @quantity @default 1Gi */
  readonly size?: string;
  /** Policy for the volumes of deleted clusters and removed instances. @default Retain */
  readonly deletionPolicy?: 'Retain' | 'Delete';
  readonly storageClassName?: string;
}

/**
 * @rule !has(self.maxSwitchoverLag) || quantity(self.maxSwitchoverLag).compareTo(quantity('1Mi')) >= 0
 * @message replication.maxSwitchoverLag must be at least 1Mi: the replicas of a busy primary always lag a little
 */
export interface Replication {
  /**
   * Number of replicas that must confirm a commit before it is acknowledged. @minimum 0 @maximum 8 @default 0 @int32
   */
  readonly synchronous?: number;
  /**
   * If too few replicas are connected: `required` makes commits wait until enough are, `preferred` waits only for the connected
   * ones. @default required
   */
  readonly durability?: 'required' | 'preferred';
  /** Time that a failed primary has to recover before another instance is promoted. @minimum 0 @default 0 @int32 */
  readonly failoverDelaySeconds?: number;
  /**
   * Time that a primary has to stop cleanly, for example in a switchover: it waits until the connected replicas have all its
   * WAL. After that, the server is killed, and in a switchover it becomes the primary again. @minimum 1 @default 3600 @int32
   */
  readonly switchoverDelaySeconds?: number;
  /**
   * Amount of WAL that a streaming replica may lack when a planned switchover starts. With more, the switchover is delayed, because
   * clients would wait while the replica catches up. @quantity @default 256Mi
   */
  readonly maxSwitchoverLag?: string;
}

/**
 * Timing of the Lease that the primary holds.
 *
 * @rule self.retryPeriodSeconds < self.renewDeadlineSeconds && self.renewDeadlineSeconds < self.durationSeconds
 * @message retryPeriodSeconds must be less than renewDeadlineSeconds, and renewDeadlineSeconds less than durationSeconds
 */
export interface LeaseTiming {
  /** @minimum 3 @default 15 @int32 */
  readonly durationSeconds?: number;
  /** A primary that cannot renew its Lease for this long stops its server. @minimum 2 @default 10 @int32 */
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
  /** Name of the `PostgresBackup` to restore. By default, the newest one that ended before the target. @maxLength 253 */
  readonly backup?: string;
  /** Archive to read, and the name of the cluster that wrote it. */
  readonly from: { readonly cluster: string; readonly target: ArchiveTarget };
  readonly target?: RecoveryTarget;
}

/**
 * The point at which recovery ends; defaults to the end of the archive.
 *
 * @rule [has(self.time), has(self.lsn), has(self.name), has(self.immediate) && self.immediate].filter(isSet, isSet).size() <= 1
 * @message set only one of time, lsn, name and immediate
 * @rule !has(self.exclusive) || !self.exclusive || has(self.time) || has(self.lsn)
 * @message exclusive needs time or lsn
 */
export interface RecoveryTarget {
  /** @format date-time */
  readonly time?: string;
  /** @pattern ^[0-9A-F]+/[0-9A-F]+$ */
  readonly lsn?: string;
  /** Name of a restore point created with pg_create_restore_point. @maxLength 63 */
  readonly name?: string;
  /** Stops as soon as the backup is consistent. */
  readonly immediate?: boolean;
  /** Stops just before the target instead of after it. */
  readonly exclusive?: boolean;
}

/** Location of an archive. @rule has(self.volume) != has(self.s3) @message set either volume or s3 */
export interface ArchiveTarget {
  /** A PersistentVolumeClaim that all instances can mount. */
  readonly volume?: { readonly claimName: string; readonly path?: string };
  readonly s3?: S3Target;
}

/** Archive of WAL and base backups. @rule has(self.volume) != has(self.s3) @message set either volume or s3 */
export interface BackupTarget extends ArchiveTarget {
  /** Number of base backups to keep, with the WAL that they need. @minimum 1 @default 7 @int32 */
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
  /** Current image of the instances. */
  readonly image?: string;
  /** Folder of the archive after a major upgrade, instead of the cluster's name. */
  readonly archiveName?: string;
  /** ID under which the cluster archives WAL. Clones of its volumes have another ID, and cannot write to its archive. */
  readonly archiveOwner?: string;
  readonly majorUpgrade?: MajorUpgrade;
  readonly phase?: string;
  readonly phaseReason?: string;
  /** Number of instances that exist. @int32 */
  readonly instances?: number;
  /** Number of instances that accept connections and, if replicas, stream from the primary. @int32 */
  readonly readyInstances?: number;
  /** The instance that should be the primary. Written by the operator. Empty while a primary is being chosen. */
  readonly targetPrimary?: string;
  /** Time at which targetPrimary was last changed. @format date-time */
  readonly targetPrimaryTime?: string;
  /** The primary that a switchover has stopped. It becomes the primary again if no replica has all its WAL. */
  readonly switchoverFrom?: string;
  /** The last switchover, if it failed. It is removed when another instance becomes the primary. */
  readonly switchoverFailure?: SwitchoverFailure;
  /** The requested primary whose switchover failed, until the operator has removed the request. */
  readonly failedRequest?: string;
  /** Time at which the operator first found the primary failing. Failover starts `failoverDelaySeconds` later. @format date-time */
  readonly primaryFailingSince?: string;
  /** The current primary. Written by the instance itself once it is promoted. */
  readonly currentPrimary?: string;
  /** Highest instance number used so far. @int32 */
  readonly lastInstance?: number;
  /** @int32 */
  readonly timeline?: number;
  /** PostgreSQL's system identifier, from pg_control. */
  readonly systemID?: string;
  /**
   * Written by the primary. Every acknowledged commit is on the primary and satisfies at least one of these quorums. Empty
   * without `required` synchronous replication. Contains several quorums while the quorum changes. @listType atomic @maxItems 16
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

/** A major upgrade in progress, or the last one if it failed. */
export interface MajorUpgrade {
  /**
   * `Checking`: the servers are still running. `Stopping`, `Upgrading`: the servers are stopped. `Failed`: the old version runs
   * again.
   */
  readonly phase: 'Checking' | 'Stopping' | 'Upgrading' | 'Failed';
  readonly from: string;
  readonly to: string;
  /** @format date-time */
  readonly startedAt: string;
  /** Reason why the upgrade failed. */
  readonly message?: string;
}

/** A switchover after which the former primary became the primary again. Automatic switchovers are retried with a growing delay. */
export interface SwitchoverFailure {
  /** The instance that is still the primary. */
  readonly instance: string;
  readonly message: string;
  /** Number of failures in a row. @minimum 1 @int32 */
  readonly count: number;
  /** @format date-time */
  readonly time: string;
}

/** Commits wait for any `standbyNumber` of the replicas in `standbyNames`. */
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
  /** Bytes of WAL by which the replica lags behind the primary. @int64 */
  readonly lagBytes?: number;
  readonly pendingRestart?: boolean;
  readonly message?: string;
}

/**
 * A PostgreSQL primary with replicas.
 *
 * @rule self.metadata.name.size() <= 40
 * @message the name must have at most 40 characters, because pod and Service names append a suffix
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
