import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { Node, Pod, Secret, Service } from '@kubewright/apimachinery/core/v1';
import type { KubernetesClient } from '@kubewright/client';
import { applyManifests, EmbeddedCluster } from '@kubewright/controlplane';
import { silentLogger as log, Manager } from '@kubewright/runtime';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { PostgresCluster } from './api/v1/postgres-cluster.ts';
import { PostgresDatabase } from './api/v1/postgres-database.ts';
import { PostgresRole } from './api/v1/postgres-role.ts';
import { healthyPhase } from './controllers/cluster-status.ts';
import { primaryAnnotation } from './controllers/observe-cluster.ts';
import { postgresCluster } from './controllers/postgres-cluster.ts';
import { postgresDatabase } from './controllers/postgres-database.ts';
import { postgresRole } from './controllers/postgres-role.ts';
import { secretValue } from './spec/credentials.ts';

// Starting PostgreSQL three times is slow on a busy machine.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });
const patience = { timeout: 120_000, interval: 100 };
const namespace = 'default';
const key = { namespace, name: 'shop' };
const file = (path: string) => new URL(`../${path}`, import.meta.url).pathname;
const isInstalled = existsSync('/usr/lib/postgresql') || spawnSync('pg_rewind', ['--version']).status === 0;

describe.skipIf(!isInstalled)('a PostgresCluster (needs the programs of PostgreSQL)', () => {
  let cluster: EmbeddedCluster;
  let client: KubernetesClient;
  let manager: Manager;
  beforeAll(async () => {
    const built = spawnSync(process.execPath, [file('build-programs.mjs')], { encoding: 'utf8' });
    expect(built.status, built.stderr).toBe(0);
    cluster = await EmbeddedCluster.start({ node: { count: 3, imageFile: file('kubewright-images.json') } });
    client = cluster.client();
    const files = ['postgresclusters', 'postgresdatabases', 'postgresroles'].map((kind) =>
      file(`config/crd/bases/database.db.example.com_${kind}.yaml`),
    );
    await applyManifests(client, { files, fieldManager: 'test' });
    const controllers = [postgresCluster({ image: 'postgres-instance' }), postgresDatabase(), postgresRole()];
    manager = new Manager({ controllers, client, log, handleSignals: false });
    manager.run().catch(() => undefined); // runs until afterAll stops it
    await manager.started();
  });
  afterAll(async () => {
    await manager?.[Symbol.asyncDispose]();
    await cluster?.[Symbol.asyncDispose]();
  });

  const state = async () => {
    const { status } = await client.resource(PostgresCluster).get(key);
    return [status?.phase, status?.readyInstances];
  };
  const primary = async () => (await client.resource(PostgresCluster).get(key)).status?.currentPrimary;
  /** Connects as the application, through a Service. */
  const connect = async (service: string, timeoutMs: number) => {
    const secret = await client.resource(Secret).get({ namespace, name: 'shop-app' });
    const ca = secretValue(await client.resource(Secret).get({ namespace, name: 'shop-server' }), 'ca.crt') ?? '';
    const { spec } = await client.resource(Service).get({ namespace, name: service });
    const connection = new pg.Client({
      host: spec?.clusterIP,
      user: secretValue(secret, 'username'),
      password: secretValue(secret, 'password'),
      database: secretValue(secret, 'database'),
      ssl: { ca, servername: service },
      connectionTimeoutMillis: timeoutMs,
      query_timeout: timeoutMs,
    });
    connection.on('error', () => undefined); // expected: the server is killed
    await connection.connect();
    return { connection, [Symbol.asyncDispose]: () => connection.end().catch(() => undefined) };
  };
  const query = async (sql: string, { service = 'shop-rw', timeoutMs = 30_000 } = {}) => {
    await using session = await connect(service, timeoutMs);
    return (await session.connection.query(sql)).rows;
  };
  const exec = async (name: string, script: string) => {
    await using process = await client.pods.exec({ namespace, name }, { command: ['sh', '-c', script] });
    const { stdout, stderr } = await process.text();
    return (stdout + stderr).trim();
  };

  it('starts a primary and two replicas', async () => {
    const spec = {
      instances: 3,
      storage: { size: '1Gi' },
      database: { name: 'shop' },
      replication: { synchronous: 1 },
      parameters: { fsync: 'off', shared_buffers: '16MB' },
    };
    await client.resource(PostgresCluster).create(PostgresCluster({ metadata: key, spec }));
    await expect.poll(state, patience).toEqual([healthyPhase, 3]);
    await query('CREATE TABLE orders (id int PRIMARY KEY)');
    await expect
      .poll(() => query('SELECT count(*)::int FROM orders', { service: 'shop-ro' }), patience)
      .toEqual([{ count: 0 }]);
  });

  it('loses no acknowledged commit when the primary is killed', async ({ annotate }) => {
    const acknowledged: number[] = [];
    let id = 0;
    /** Returns true if a write was acknowledged. */
    const write = async () => {
      id++;
      const number = id;
      await query(`INSERT INTO orders VALUES (${number})`, { timeoutMs: 2_000 });
      return acknowledged.push(number) > 0;
    };
    const attempt = () => write().catch(() => false);
    await expect.poll(async () => (await attempt()) && acknowledged.length >= 20, patience).toBe(true);
    const killed = (await primary()) ?? '';
    const killedAtMs = performance.now();
    await exec(killed, 'kill -KILL $(head -n 1 "$PGDATA/postmaster.pid")');
    await expect.poll(attempt, { timeout: 60_000, interval: 20 }).toBe(true);
    const seconds = (performance.now() - killedAtMs) / 1000;
    await annotate(`SIGKILL of the primary to the next acknowledged write: ${seconds.toFixed(2)} s`);
    const promoted = await primary();
    expect(promoted).not.toBe(killed);
    // A promotion must not require a restart.
    expect(await query('SELECT name FROM pg_settings WHERE pending_restart')).toEqual([]);
    const rows = await query('SELECT id FROM orders');
    expect(rows.map((row) => row.id)).toEqual(expect.arrayContaining(acknowledged));
    await expect.poll(state, patience).toEqual([healthyPhase, 3]);
  });

  it('switches over to the former primary, which was rewound', async () => {
    const body = { metadata: { annotations: { [primaryAnnotation]: 'shop-1' } } };
    await client.resource(PostgresCluster).patch(key, { type: 'merge', body });
    await expect.poll(primary, patience).toBe('shop-1');
    await expect.poll(state, patience).toEqual([healthyPhase, 3]);
    await query('INSERT INTO orders VALUES (1000)');
  });

  it('creates roles with passwords and databases, and drops them if the reclaim policy is Delete', async () => {
    const [roles, databases] = [client.resource(PostgresRole), client.resource(PostgresDatabase)];
    const role = { namespace, name: 'reporter' };
    const database = { namespace, name: 'reports' };
    const spec = { cluster: 'shop', reclaimPolicy: 'Delete' } as const;
    const owned = { ...spec, name: 'reports', owner: 'reporter', extensions: ['pg_trgm'] };
    await databases.create(PostgresDatabase({ metadata: database, spec: owned }));
    const message = async () => (await databases.get(database)).status?.message;
    await expect.poll(message, patience).toBe('role "reporter" does not exist');
    await client.resource(Secret).create(Secret({ metadata: role, stringData: { password: 'pencil' } }));
    const login = { ...spec, name: 'reporter', login: true, passwordSecret: 'reporter' };
    await roles.create(PostgresRole({ metadata: role, spec: login }));
    await expect.poll(async () => (await roles.get(role)).status?.applied, patience).toBe(true);
    await expect.poll(async () => (await databases.get(database)).status?.applied, patience).toBe(true);
    const psql =
      'PGPASSWORD=pencil psql -h "$POD_IP" -U reporter -tAc "SELECT extname FROM pg_extension ORDER BY 1" reports';
    expect(await exec('shop-1', psql)).toBe('pg_trgm\nplpgsql');
    await databases.delete(database);
    await roles.delete(role);
    await expect.poll(() => exec('shop-1', psql), patience).toContain('password authentication failed');
  });

  it('adds a replica, and removes it', async () => {
    const resize = (instances: number) =>
      client.resource(PostgresCluster).patch(key, { type: 'merge', body: { spec: { instances } } });
    await resize(4);
    await expect.poll(state, patience).toEqual([healthyPhase, 4]);
    await expect
      .poll(() => exec('shop-4', 'psql -U postgres -tAc "SELECT count(*) FROM orders WHERE id = 1000" shop'), patience)
      .toBe('1');
    await resize(3);
    await expect.poll(state, patience).toEqual([healthyPhase, 3]);
  });

  it('switches over before the primary is evicted from a node that is being drained', async () => {
    const { spec } = await client.resource(Pod).get({ namespace, name: 'shop-1' });
    const node = { name: spec?.nodeName ?? '' };
    const cordon = (unschedulable: boolean) =>
      client.resource(Node).patch(node, { type: 'merge', body: { spec: { unschedulable } } });
    const evict = async () => (await client.pods.evict({ namespace, name: 'shop-1' })).evicted;
    expect(await evict()).toBe(false);
    await cordon(true);
    await expect.poll(primary, patience).not.toBe('shop-1');
    await expect.poll(evict, patience).toBe(true);
    await cordon(false);
    await expect.poll(state, patience).toEqual([healthyPhase, 3]);
  });

  it('stops a fenced primary without a failover, and all servers of a hibernated cluster', async () => {
    const fenced = (await primary()) ?? '';
    const patch = (body: object) =>
      client.resource(PostgresCluster).patch(key, { type: 'merge', body: { spec: body } });
    await patch({ fenced: [fenced] });
    await expect.poll(async () => (await state())[0], patience).toBe('Fenced');
    await expect
      .poll(
        () =>
          query('SELECT 1').then(
            () => true,
            () => false,
          ),
        patience,
      )
      .toBe(false);
    await patch({ fenced: null });
    await expect.poll(state, patience).toEqual([healthyPhase, 3]);
    expect(await primary()).toBe(fenced);
    await patch({ hibernated: true });
    const pods = async () => (await client.resource(Pod).list({ namespace })).items.length;
    await expect.poll(pods, patience).toBe(0);
    await patch({ hibernated: false });
    await expect.poll(state, patience).toEqual([healthyPhase, 3]);
    expect(await primary()).toBe(fenced);
    // The node's Service proxy receives the new endpoints a moment later.
    await expect
      .poll(() => query('SELECT count(*)::int FROM orders WHERE id = 1000').catch(() => undefined), patience)
      .toEqual([{ count: 1 }]);
  });

  it('reuses the volumes of a deleted cluster, and promotes its former primary, which has every commit', async () => {
    const former = await primary();
    await query('INSERT INTO orders VALUES (2000)');
    const { spec } = await client.resource(PostgresCluster).get(key);
    await client.resource(PostgresCluster).delete(key);
    await expect.poll(async () => (await client.resource(Pod).list({ namespace })).items.length, patience).toBe(0);
    await client.resource(PostgresCluster).create(PostgresCluster({ metadata: key, spec }));
    await expect.poll(state, patience).toEqual([healthyPhase, 3]);
    expect(await primary()).toBe(former);
    // The recreated cluster has a new application password, so queries fail until the server accepts that password.
    await expect
      .poll(() => query('SELECT count(*)::int FROM orders WHERE id IN (1000, 2000)').catch(() => undefined), patience)
      .toEqual([{ count: 2 }]);
  });
});
