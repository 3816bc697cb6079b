/**
 * The protocol between the operator and an instance manager: HTTPS with client certificates on {@link statusPort}, JSON bodies.
 *
 * - `GET /v1/status` returns an {@link InstanceReport}, in any state.
 * - `POST /v1/restart` replies 202, then restarts the server. Later reports show the progress. Replies 409 if the
 *   server is not running.
 * - `POST /v1/backups?name=NAME&uid=UID&type=TYPE` replies 202, then takes a base backup ({@link BackupRequest}) into
 *   the archive. Repeating a request with the same UID has no effect. Replies 409 without an archive or a running
 *   server.
 * - `GET /v1/backups/UID` returns a {@link BackupReport}, or replies 404 if this instance does not know the backup.
 * - `GET /v1/primary?name=NAME&forMs=MS` is the failsafe. It replies 204 if this instance cannot reach the API server
 *   either and still follows NAME, otherwise 409. After replying 204, the instance does not acquire the Lease for MS
 *   milliseconds.
 * - `GET /metrics` returns the metrics of `src/metrics/instance-metrics.ts`. It needs no client certificate.
 * - `GET /readyz` and `GET /livez` are the kubelet's probes. They reply 200 or 503, and need no client certificate.
 *
 * All certificates are signed by the cluster's authority. The server's certificate is valid for the names of the Services, such
 * as `NAME-rw`. The operator's client certificate has the common name {@link operatorUser}; the instances' client
 * certificate has {@link replicationUser}, which only `/v1/primary` accepts.
 */
export const statusPort = 8000;

/** Label with an instance's role. The operator sets the label, and the Services select pods by it. */
export const roleLabel = 'database.db.example.com/role';

/** Label on all objects of a cluster, with the cluster's name. */
export const clusterLabel = 'database.db.example.com/cluster';

/** Common name of the operator's client certificate. */
export const operatorUser = 'postgres';

/** The superuser role of the operator, which logs in with the operator's certificate. The role `postgres` is left to users. */
export const operatorRole = 'postgres_operator';

/** Common name of the poolers' client certificate, and the role that looks up users' passwords for them. */
export const poolerRole = 'postgres_pooler';

/** Schema of the function that poolers look up passwords with. */
export const poolerSchema = 'postgres_pooler';

/** Common name of the instances' client certificate, and the role that replicas use to stream. */
export const replicationUser = 'streaming_replica';

/** The `application_name` of an instance that clones a primary and is not a replica yet. No instance has this name. */
export const cloneName = 'pg_basebackup';

/** The state that an instance reports. */
export interface InstanceReport {
  readonly name: string;
  /** `starting` includes recovery, cloning and rewinding; in the states `fenced` and `waiting`, the server must not run. */
  readonly state: 'starting' | 'running' | 'stopping' | 'waiting' | 'fenced' | 'failed';
  readonly message?: string;
  readonly isPrimary: boolean;
  /** True after the server died as the primary, while the instance waits for the operator to choose another one. */
  readonly hasDied?: boolean;
  readonly isReady: boolean;
  /** Content of the volume: data that starts as a primary or as a standby, data that must be replaced, or none. */
  readonly data?: 'primary' | 'standby' | 'unusable' | 'empty';
  readonly timeline?: number;
  readonly systemID?: string;
  /** End of the WAL that the primary has written, or the replica has received. */
  readonly receivedLSN?: string;
  readonly replayedLSN?: string;
  /** Position of the shutdown checkpoint, the last WAL of a primary whose server has stopped cleanly. */
  readonly shutdownLSN?: string;
  /**
   * False while a replica is still replaying WAL from before its start, so `receivedLSN` is not the end of its WAL yet.
   */
  readonly isAtEnd?: boolean;
  /** True while the replica streams WAL from a primary. */
  readonly isReceiving: boolean;
  /** The replicas connected to this primary. */
  readonly replicas?: readonly ReplicaReport[];
  readonly archive?: ArchiveReport;
  /** True if a changed setting takes effect only after a restart. */
  readonly pendingRestart: boolean;
  /**
   * True if a pending change lowers a setting that must not be lower on a replica than on the primary, so the primary must
   * restart first.
   */
  readonly lowersSetting?: boolean;
  /** `settingsHash` of the parameters that the server is configured with. */
  readonly settings?: string;
  /** Reason why the server rejects the current parameters, if it does. */
  readonly settingsError?: string;
  /** Reason why the restore of a new cluster was abandoned. A restart of the instance continues the restore. */
  readonly restoreError?: string;
  readonly freeBytes?: number;
  readonly isDiskFull: boolean;
  /** Version of the server. */
  readonly version?: string;
}

export interface ReplicaReport {
  readonly name: string;
  readonly state: string;
  readonly sync: 'async' | 'potential' | 'sync' | 'quorum';
  readonly flushLSN?: string;
}

export interface ArchiveReport {
  readonly lastArchived?: string;
  readonly lastArchivedTime?: string;
  readonly lastFailed?: string;
  readonly lastFailedTime?: string;
  /** Why archiving last failed. */
  readonly message?: string;
}

/** A request for a base backup. */
export interface BackupRequest {
  /** Name and UID of the `PostgresBackup`. */
  readonly name: string;
  readonly uid: string;
  readonly type: 'full' | 'incremental';
}

/** The state of a base backup. */
export interface BackupReport {
  readonly phase: 'Running' | 'Completed' | 'Failed';
  readonly error?: string;
  readonly id?: string;
  readonly beginLSN?: string;
  readonly endLSN?: string;
  readonly beginWAL?: string;
  readonly endWAL?: string;
  readonly timeline?: number;
  readonly startedAt?: string;
  readonly stoppedAt?: string;
  readonly sizeBytes?: number;
  /** Earliest time that can be restored from the archive, after the deletion of old backups. */
  readonly firstRecoverabilityPoint?: string;
}
