import { isAbsolute } from 'node:path';

/**
 * The environment of an instance's container. PostgreSQL's programs must be on the PATH.
 *
 * - `POD_NAME`, `POD_UID`, `POD_NAMESPACE`, `POD_IP`: from the downward API. The pod is named after the instance.
 * - `CLUSTER_NAME`: name of the `PostgresCluster`.
 * - `PGDATA`: the data directory. Its parent folder is on the instance's volume and holds other files of the instance.
 * - `PGHOST`: folder of the Unix socket. Only the server's user may enter it.
 * - `SERVER_CERTIFICATES`: folder with `tls.crt`, `tls.key` and `ca.crt` of the server.
 * - `REPLICATION_CERTIFICATES`: folder with the same files for the client certificate `streaming_replica`, which
 *   instances use to call each other and to replicate.
 * - `APP_CREDENTIALS`: folder with `username` and `password` of the owner of the application's database.
 * - `SUPERUSER_CREDENTIALS`: folder with `password` of the superuser. Empty unless the cluster sets `superuserAccess`.
 * - `ARCHIVE_VOLUME`, `ARCHIVE_CREDENTIALS`: mount points of the archive's volume claim and of its bucket's
 *   credentials, if the cluster has an archive.
 * - `RECOVERY_VOLUME`, `RECOVERY_CREDENTIALS`: mount points for the archive that the cluster is restored from.
 *
 * The service account needs `list` and `watch` on `postgresclusters`, `patch` on `postgresclusters/status`, `get`, `list`,
 * `watch` and `update` on `leases`, and `list` and `watch` on `pods`, to find the addresses of the other instances.
 */
export interface InstanceEnvironment {
  readonly name: string;
  /** Empty if an older operator created the pod. */
  readonly podUID: string;
  readonly namespace: string;
  readonly cluster: string;
  readonly address: string;
  readonly dataDirectory: string;
  readonly socketDirectory: string;
  readonly serverCertificates: string;
  readonly replicationCertificates: string;
  readonly appCredentials: string;
  /** Empty if an older operator, which does not mount this folder, created the pod. */
  readonly superuserCredentials: string;
  /** Unset variables are empty strings: an archive uses either a volume or a bucket. */
  readonly archive: ArchiveFolders;
  readonly recovery: ArchiveFolders;
}

/** Mount points of an archive's volume and of its bucket's credentials. */
export interface ArchiveFolders {
  readonly volume: string;
  readonly credentials: string;
}

/** Thrown if the environment of an instance is incomplete. */
export class EnvironmentError extends Error {
  override readonly name = 'EnvironmentError';
}

/**
 * Reads the environment of an instance.
 *
 * @throws EnvironmentError with all missing and invalid variables
 */
export function readEnvironment(env: Readonly<Record<string, string | undefined>>): InstanceEnvironment {
  const wrong: string[] = [];
  const text = (name: string): string => {
    const value = env[name] ?? '';
    if (value === '') wrong.push(`${name} is not set`);
    return value;
  };
  const path = (name: string): string => {
    const value = text(name);
    if (value !== '' && !isAbsolute(value)) wrong.push(`${name} is not an absolute path: ${value}`);
    return value;
  };
  const read: InstanceEnvironment = {
    name: text('POD_NAME'),
    podUID: env['POD_UID'] ?? '',
    namespace: text('POD_NAMESPACE'),
    cluster: text('CLUSTER_NAME'),
    address: text('POD_IP'),
    dataDirectory: path('PGDATA'),
    socketDirectory: path('PGHOST'),
    serverCertificates: path('SERVER_CERTIFICATES'),
    replicationCertificates: path('REPLICATION_CERTIFICATES'),
    appCredentials: path('APP_CREDENTIALS'),
    superuserCredentials: env['SUPERUSER_CREDENTIALS'] ?? '',
    archive: { volume: env['ARCHIVE_VOLUME'] ?? '', credentials: env['ARCHIVE_CREDENTIALS'] ?? '' },
    recovery: { volume: env['RECOVERY_VOLUME'] ?? '', credentials: env['RECOVERY_CREDENTIALS'] ?? '' },
  };
  if (wrong.length > 0) throw new EnvironmentError(`cannot start the instance: ${wrong.join(', ')}`);
  return read;
}
