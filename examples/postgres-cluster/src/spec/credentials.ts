import type { Stored } from '@kubewright/apimachinery';
import { Secret } from '@kubewright/apimachinery/core/v1';
import type { PostgresCluster } from '../api/v1/postgres-cluster.ts';
import { clusterLabel } from '../instance/protocol.ts';
import { clusterNames } from './cluster-names.ts';

/** Returns the Secret with which applications connect as the owner of the cluster's database. */
export function applicationSecretFor({ metadata, spec }: Stored<PostgresCluster>, password: string): Secret {
  const { database, owner } = databaseOf({ spec });
  const { application, readWrite } = clusterNames(metadata.name);
  const host = `${readWrite}.${metadata.namespace}.svc`;
  return credentials(application, {
    cluster: metadata.name,
    data: {
      username: owner,
      password,
      database,
      host,
      port: '5432',
      uri: `postgresql://${encodeURIComponent(owner)}:${encodeURIComponent(password)}@${host}:5432/${encodeURIComponent(database)}`,
    },
  });
}

/** Returns the names of the application's database and of its owner. */
export function databaseOf({ spec }: Pick<PostgresCluster, 'spec'>): {
  readonly database: string;
  readonly owner: string;
} {
  const { name: database = 'app', owner = database } = spec.database ?? {};
  return { database, owner };
}

/** Returns the Secret of the superuser `postgres`, which exists only if the cluster requests it. */
export function superuserSecretFor({ metadata }: Stored<PostgresCluster>, password: string): Secret {
  const data = { username: 'postgres', password };
  return credentials(clusterNames(metadata.name).superuser, { cluster: metadata.name, data });
}

/** Returns the decoded value of a Secret's key, or undefined if it is missing. */
export function secretValue(secret: Secret | undefined, key: string): string | undefined {
  const value = secret?.data?.[key];
  return value === undefined ? undefined : Buffer.from(value, 'base64').toString('utf8');
}

function credentials(
  name: string,
  { cluster, data }: { readonly cluster: string; readonly data: Readonly<Record<string, string>> },
): Secret {
  const encoded = Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')] as const);
  return Secret({
    metadata: { name, labels: { [clusterLabel]: cluster } },
    type: 'Opaque',
    data: Object.fromEntries(encoded),
  });
}
