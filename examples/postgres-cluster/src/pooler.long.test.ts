import { get } from 'node:https';
import { text } from 'node:stream/consumers';
import { Pod, Secret, Service } from '@kubewright/apimachinery/core/v1';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { metricsIn } from '../dev/metrics-in.ts';
import { OperatedCluster } from '../dev/operated-cluster.ts';
import { isPgBouncerInstalled } from '../dev/pgbouncer.ts';
import { isPostgresInstalled } from '../dev/postgres-operator.ts';
import { PostgresCluster } from './api/v1/postgres-cluster.ts';
import { PostgresPooler } from './api/v1/postgres-pooler.ts';
import { healthyPhase } from './controllers/cluster-status.ts';
import { statusPort } from './instance/protocol.ts';
import { poolerMetrics } from './metrics/pooler-metrics.ts';
import { secretValue } from './spec/credentials.ts';
import { poolerLabel } from './spec/pooler-objects.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });
const patience = { timeout: 120_000, interval: 100 };
const namespace = 'default';
const [key, pool] = ['shop', 'pool'].map((name) => ({ namespace, name })) as [
  { namespace: string; name: string },
  { namespace: string; name: string },
];

describe.skipIf(!isPostgresInstalled || !isPgBouncerInstalled)(
  'a PostgresPooler (needs PostgreSQL and PgBouncer)',
  () => {
    let operated: OperatedCluster;
    beforeAll(async () => {
      operated = await OperatedCluster.start({ nodes: 2 });
      const spec = {
        instances: 2,
        storage: {},
        database: { name: 'shop' },
        lease: { durationSeconds: 6, renewDeadlineSeconds: 4, retryPeriodSeconds: 1 },
        parameters: { fsync: 'off', shared_buffers: '16MB' },
      };
      await operated.client.resource(PostgresCluster).create(PostgresCluster({ metadata: key, spec }));
      const pooler = { cluster: 'shop', poolMode: 'transaction' as const };
      await operated.client.resource(PostgresPooler).create(PostgresPooler({ metadata: pool, spec: pooler }));
    });
    afterAll(() => operated?.[Symbol.asyncDispose]());

    const phase = async () => (await operated.client.resource(PostgresCluster).get(key)).status?.phase;
    const condition = async () => {
      const { status } = await operated.client.resource(PostgresPooler).get(pool);
      return status?.conditions?.find(({ type }) => type === 'Ready');
    };
    const change = (spec: object) =>
      operated.client.resource(PostgresPooler).patch(pool, { type: 'merge', body: { spec } });
    const pods = async () => {
      const { items } = await operated.client.resource(Pod).list({ namespace, labelSelector: poolerLabel });
      return items.map(({ metadata, status }) => [metadata.name, status?.containerStatuses?.[0]?.restartCount]);
    };
    /** Connects to the pooler's Service, by default with the application's role. */
    const connect = async (login: pg.ClientConfig = {}) => {
      const { client } = operated;
      const app = await client.resource(Secret).get({ namespace, name: 'shop-app' });
      const ca = secretValue(await client.resource(Secret).get({ namespace, name: 'shop-server' }), 'ca.crt') ?? '';
      const { spec } = await client.resource(Service).get(pool);
      const connection = new pg.Client({
        host: spec?.clusterIP,
        user: secretValue(app, 'username'),
        password: secretValue(app, 'password'),
        database: 'shop',
        ssl: { ca, servername: 'pool.default.svc' },
        connectionTimeoutMillis: 10_000,
        query_timeout: 60_000,
        ...login,
      });
      connection.on('error', () => undefined); // expected: the server is killed
      await connection.connect();
      return { connection, [Symbol.asyncDispose]: () => connection.end().catch(() => undefined) };
    };

    /** Reads the metrics of the first pod as Prometheus does with `monitoring/pooler-pod-monitor.yaml`. */
    const scrape = async () => {
      const { items } = await operated.client.resource(Pod).list({ namespace, labelSelector: poolerLabel });
      const secret = await operated.client.resource(Secret).get({ namespace, name: 'pool-pooler' });
      const options = {
        host: items[0]?.status?.podIP,
        port: statusPort,
        path: '/metrics',
        ca: secretValue(secret, 'ca.crt'),
        servername: 'pool',
        agent: false,
      };
      return new Promise<string>((resolve, reject) => {
        get(options, (response) => resolve(text(response))).once('error', reject);
      });
    };

    it('lets users log in with the passwords of the cluster, over TLS', async () => {
      await expect.poll(phase, patience).toBe(healthyPhase);
      await expect.poll(condition, patience).toMatchObject({ status: 'True', reason: 'PodsReady' });
      await using session = await connect();
      const { rows } = await session.connection.query(
        'SELECT current_user AS name, ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()',
      );
      expect(rows).toEqual([{ name: 'shop', ssl: true }]);
      await session.connection.query('CREATE TABLE orders (id int PRIMARY KEY)');
      await expect(connect({ password: 'wrong' })).rejects.toThrow('SASL authentication failed');
      await expect(connect({ user: 'postgres', password: 'pencil' })).rejects.toThrow('no such user');
    });

    it('serves metrics, among them all that the alerts and the dashboard use', async () => {
      await using session = await connect();
      await session.connection.query('SELECT 1');
      const exported = async () => [...metricsIn(await scrape(), 'pooler')].sort();
      await expect.poll(exported, patience).toEqual(poolerMetrics.map(({ name }) => name).sort());
      const found = await scrape();
      expect(found).toMatch(/^postgres_pooler_up\{cluster="shop",pooler="pool"\} 1$/m);
      expect(found).toMatch(/^postgres_pooler_info\{.*version="PgBouncer 1\.\d+\.\d+"\} 1$/m);
      expect(found).toMatch(/^postgres_pooler_clients\{.*database="shop",user="shop",state="active"\} [1-9]/m);
      expect(found).toMatch(/^postgres_pooler_queries_total\{.*database="shop"\} [1-9]/m);
      expect(found).toMatch(/^postgres_pooler_max_clients\{.*\} 100$/m);
      expect(found).not.toContain('database="pgbouncer"');
    });

    it('does not let users look up passwords', async () => {
      await using session = await connect();
      await expect(session.connection.query("SELECT postgres_pooler.user_search('shop')")).rejects.toThrow(
        'permission denied',
      );
    });

    it('keeps client connections open through a failover', async ({ annotate }) => {
      await using idle = await connect();
      await idle.connection.query('INSERT INTO orders VALUES (1)');
      const { status } = await operated.client.resource(PostgresCluster).get(key);
      const name = status?.currentPrimary ?? '';
      const command = ['sh', '-c', 'kill -KILL $(head -n 1 "$PGDATA/postmaster.pid")'];
      await using killing = await operated.client.pods.exec({ namespace, name }, { command });
      await killing.text();
      const startedMs = performance.now();
      let id = 1;
      const write = async () => {
        id++;
        await using session = await connect();
        await session.connection.query(`INSERT INTO orders VALUES (${id})`);
        return true;
      };
      await expect.poll(() => write().catch(() => false), { timeout: 60_000, interval: 50 }).toBe(true);
      await annotate(
        `SIGKILL of the primary to a write through the pooler: ${Math.round(performance.now() - startedMs)} ms`,
      );
      await idle.connection.query('INSERT INTO orders VALUES (0)');
      expect((await operated.client.resource(PostgresCluster).get(key)).status?.currentPrimary).not.toBe(name);
      await expect.poll(phase, patience).toBe(healthyPhase);
    });

    it('pauses and reloads without a restart', async () => {
      const before = await pods();
      await change({ paused: true, parameters: { max_client_conn: '200' } });
      await expect.poll(condition, patience).toMatchObject({ status: 'True', reason: 'Paused' });
      const query = async () => {
        await using session = await connect({ query_timeout: 1_000 });
        return (await session.connection.query('SELECT 1 AS one')).rows;
      };
      const outcome = () => query().catch((error: Error) => error.message);
      await expect.poll(outcome, patience).toMatch(/timeout/);
      expect(await scrape()).toMatch(/^postgres_pooler_paused\{.*\} 1$/m);
      await change({ paused: false });
      await expect.poll(outcome, patience).toEqual([{ one: 1 }]);
      expect(await pods()).toEqual(before);
      await expect.poll(scrape, patience).toMatch(/^postgres_pooler_paused\{.*\} 0$/m);
    });

    it('rejects invalid parameters, and continues with the previous ones', async () => {
      await change({ parameters: { auth_type: 'trust' } });
      await expect.poll(condition, patience).toMatchObject({ status: 'False', reason: 'InvalidParameters' });
      await using session = await connect();
      expect((await session.connection.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
      await change({ parameters: null });
      await expect.poll(condition, patience).toMatchObject({ status: 'True', reason: 'PodsReady' });
    });

    it('adds a pod, and connects to the replicas', async () => {
      await change({ instances: 2, type: 'ro' });
      await expect.poll(async () => (await pods()).length, patience).toBe(2);
      await expect
        .poll(async () => {
          await using session = await connect();
          return (await session.connection.query('SELECT pg_is_in_recovery() AS standby')).rows;
        }, patience)
        .toEqual([{ standby: true }]);
    });
  },
);
