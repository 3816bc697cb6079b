import { Secret, Service } from '@kubewright/apimachinery/core/v1';
import type { KubernetesClient } from '@kubewright/client';
import pg from 'pg';
import { secretValue } from '../src/spec/credentials.ts';

/** Connects to the application's database through the primary's Service. */
export async function connectToPrimary(
  client: KubernetesClient,
  {
    namespace,
    name,
    timeoutMs,
    host,
  }: {
    readonly namespace: string;
    readonly name: string;
    readonly timeoutMs: number;
    /** @defaultValue the Service's address */
    readonly host?: string;
  },
): Promise<pg.Client> {
  const service = `${name}-rw`;
  const secret = await client.resource(Secret).get({ namespace, name: `${name}-app` });
  const server = await client.resource(Secret).get({ namespace, name: `${name}-server` });
  const { spec } = await client.resource(Service).get({ namespace, name: service });
  const connection = new pg.Client({
    host: host ?? spec?.clusterIP,
    user: secretValue(secret, 'username'),
    password: secretValue(secret, 'password'),
    database: secretValue(secret, 'database'),
    ssl: { ca: secretValue(server, 'ca.crt') ?? '', servername: service },
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
  });
  connection.on('error', () => undefined); // the test kills the server
  await connection.connect();
  return connection;
}
