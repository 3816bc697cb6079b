import { replicationUser } from '../protocol.ts';

export interface ConnectionOptions {
  readonly address: string;
  /** Name of this instance, sent to the primary as `application_name`. */
  readonly name: string;
  /** Folder with `client.crt`, `client.key` and `ca.crt`. */
  readonly certificates: string;
}

/** Returns the connection string for replication. It contains no secrets. */
export function replicationConnection({ address, name, certificates }: ConnectionOptions): string {
  const parts = {
    host: address,
    port: '5432',
    user: replicationUser,
    dbname: 'postgres',
    application_name: name,
    sslmode: 'verify-ca',
    sslrootcert: `${certificates}/ca.crt`,
    sslcert: `${certificates}/client.crt`,
    sslkey: `${certificates}/client.key`,
    connect_timeout: '5',
    keepalives_idle: '5',
    keepalives_interval: '2',
    keepalives_count: '3',
  };
  return Object.entries(parts)
    .map(([key, value]) => `${key}=${/[\s'\\]/.test(value) ? `'${value.replaceAll(/['\\]/g, '\\$&')}'` : value}`)
    .join(' ');
}
