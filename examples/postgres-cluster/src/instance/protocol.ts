/**
 * The protocol between the operator and an instance manager: HTTPS with client certificates on {@link statusPort}, JSON bodies.
 *
 * | request | what the instance does |
 * |---|---|
 * | `GET /v1/status` | reports, at any time, {@link InstanceReport} |
 * | `POST /v1/restart` | replies 202, then stops and starts the server, as later reports show; 409 if it is not running |
 * | `POST /v1/backups?name=NAME&uid=UID&type=TYPE` | takes a base backup ({@link BackupRequest}) into the archive, and replies 202; repeated requests with the same UID change nothing; 409 without an archive or a running server |
 * | `GET /v1/backups/UID` | reports {@link BackupReport}; 404 if this instance knows no such backup |
 * | `GET /v1/primary?name=NAME&forMs=MS` | failsafe: 204 if this instance cannot reach the API server either and still follows NAME; 409 otherwise. An instance that replied 204 does not acquire the Lease for MS milliseconds |
 * | `GET /metrics` | reports the metrics of `src/metrics/instance-metrics.ts`; needs no client certificate |
 * | `GET /readyz`, `GET /livez` | for the kubelet's probes, which have no client certificate: 200 or 503 |
 *
 * Certificates of the cluster's authority: the server presents one for the names of the Services, such as `NAME-rw`. The operator
 * presents one for {@link operatorUser}, and instances present one for {@link replicationUser}; only `/v1/primary` accepts the latter.
 */
export const statusPort = 8000;

/** The label of an instance's role, which the operator sets and the Services select by. */
export const roleLabel = 'database.db.example.com/role';

/** The label with the name of the cluster on everything that belongs to it. */
export const clusterLabel = 'database.db.example.com/cluster';

/** Common name of the operator's certificate. */
export const operatorUser = 'postgres';

/** The superuser that the operator connects to PostgreSQL as, with its certificate. `postgres` is left to users. */
export const operatorRole = 'postgres_operator';

/** Common name of the certificate of poolers, and the role with which they look up the passwords of users. */
export const poolerRole = 'postgres_pooler';

/** The schema with the function by which poolers look up passwords. */
export const poolerSchema = 'postgres_pooler';

/** Common name of the instances' client certificate, and the role that replicas stream as. */
export const replicationUser = 'streaming_replica';

/** State of one instance. */
export interface InstanceReport {
  readonly name: string;
  /** `starting` includes recovery, cloning and rewinding; `fenced` and `waiting` mean that the server must not run now. */
  readonly state: 'starting' | 'running' | 'stopping' | 'waiting' | 'fenced' | 'failed';
  readonly message?: string;
  readonly isPrimary: boolean;
  /** True while an instance, whose server died as the primary, waits for the operator to choose another. */
  readonly hasDied?: boolean;
  readonly isReady: boolean;
  /** Content of the volume: data with which a server starts as a primary or as a standby, data to be replaced, or none. */
  readonly data?: 'primary' | 'standby' | 'unusable' | 'empty';
  readonly timeline?: number;
  readonly systemID?: string;
  /** End of the WAL that the instance has written (primary) or received (replica). */
  readonly receivedLSN?: string;
  readonly replayedLSN?: string;
  /** False while a replica replays WAL that it had before its start: `receivedLSN` is not the end of its WAL yet. */
  readonly isAtEnd?: boolean;
  /** True while a WAL receiver is connected to a primary. */
  readonly isReceiving: boolean;
  /** The replicas that are connected to this primary. */
  readonly replicas?: readonly ReplicaReport[];
  readonly archive?: ArchiveReport;
  /** True if a changed setting takes effect only after a restart. */
  readonly pendingRestart: boolean;
  /** True if a setting that must not be lower on a replica than on the primary gets lower: the primary restarts first. */
  readonly lowersSetting?: boolean;
  /** `settingsHash` of the parameters that the server was last configured with. */
  readonly settings?: string;
  /** The reason why the newest parameters are not in effect, if the server rejects them. */
  readonly settingsError?: string;
  readonly freeBytes?: number;
  readonly isDiskFull: boolean;
  /** Version of the server program. */
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
  /** Reason of the last failure. */
  readonly message?: string;
}

/** A base backup to take. */
export interface BackupRequest {
  /** Name and UID of the `PostgresBackup`. */
  readonly name: string;
  readonly uid: string;
  readonly type: 'full' | 'incremental';
}

/** State of a base backup. */
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
  /** Earliest time that the archive can restore, after old backups were deleted. */
  readonly firstRecoverabilityPoint?: string;
}
