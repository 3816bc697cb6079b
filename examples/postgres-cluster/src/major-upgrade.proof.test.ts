import { Event, PersistentVolumeClaim, Pod } from '@kubewright/apimachinery/core/v1';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { OperatedCluster } from '../dev/operated-cluster.ts';
import { isPostgres17Installed, withPostgres17 } from '../dev/postgres-17.ts';
import { isPostgresInstalled } from '../dev/postgres-operator.ts';
import { PostgresBackup } from './api/v1/postgres-backup.ts';
import { PostgresCluster } from './api/v1/postgres-cluster.ts';
import { healthyPhase } from './controllers/cluster-status.ts';
import { upgradeLabel } from './spec/upgrade-job.ts';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 300_000 });
const patience = { timeout: 300_000, interval: 200 };
const namespace = 'default';
const key = { namespace, name: 'shop' };

describe.skipIf(!isPostgresInstalled || !isPostgres17Installed)('a major upgrade (needs PostgreSQL 15 and 17)', () => {
  let programs: Disposable;
  let operated: OperatedCluster;
  beforeAll(async () => {
    programs = withPostgres17();
    operated = await OperatedCluster.start({ nodes: 1 });
  });
  afterAll(async () => {
    await operated?.[Symbol.asyncDispose]();
    programs?.[Symbol.dispose]();
  });

  const clusters = () => operated.client.resource(PostgresCluster);
  const status = async () => (await clusters().get(key)).status ?? {};
  const patch = (spec: object) => clusters().patch(key, { type: 'merge', body: { spec } });
  const state = async () => {
    const { phase, readyInstances, version } = await status();
    return [phase, readyInstances, version];
  };
  const exec = async (name: string, script: string) => {
    await using process = await operated.client.pods.exec({ namespace, name }, { command: ['sh', '-c', script] });
    const { stdout, stderr } = await process.text();
    return (stdout + stderr).trim();
  };
  const psql = async (sql: string, { database = 'shop', instance = '' } = {}) => {
    const name = instance || ((await status()).currentPrimary ?? '');
    return exec(name, `psql -U postgres -X -q -v ON_ERROR_STOP=1 -tA -c '${sql}' ${database}`);
  };
  const upgradePods = async () =>
    (await operated.client.resource(Pod).list({ namespace, labelSelector: upgradeLabel })).items;
  const reasons = async () => {
    const fieldSelector = 'involvedObject.kind=PostgresCluster';
    return (await operated.client.resource(Event).list({ namespace, fieldSelector })).items.map(({ reason }) => reason);
  };
  const message = async () => (await status()).phaseReason ?? '';

  it('creates a cluster of version 15 with an archive', async () => {
    const archive = { metadata: { namespace, name: 'archive' } };
    const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    await operated.client.resource(PersistentVolumeClaim).create(PersistentVolumeClaim({ ...archive, spec: claim }));
    const spec = {
      version: '15',
      instances: 2,
      storage: {},
      database: { name: 'shop' },
      replication: { synchronous: 1 },
      backup: { volume: { claimName: 'archive' } },
      parameters: { shared_buffers: '16MB' },
    };
    await clusters().create(PostgresCluster({ metadata: key, spec }));
    await expect.poll(state, patience).toEqual([healthyPhase, 2, '15']);
    await psql(
      `CREATE TABLE orders (id serial PRIMARY KEY, item text); INSERT INTO orders (item) SELECT md5(g::text) FROM generate_series(1, 10000) g`,
    );
    await psql(`CREATE ROLE reporter LOGIN PASSWORD $$pencil$$; GRANT SELECT ON orders TO reporter`);
    await psql('CREATE EXTENSION pg_trgm; CREATE INDEX ON orders USING gin (item gin_trgm_ops)');
    await psql('CREATE DATABASE reports OWNER reporter', { database: 'postgres' });
  });

  it('rejects an unsupported version, and keeps the servers running', async () => {
    await patch({ version: '14' });
    await expect.poll(message, patience).toMatch(/cannot downgrade it to 14/);
    await patch({ version: '19' });
    await expect.poll(message, patience).toMatch(/from version 15 to 19 is not supported/);
    expect((await status()).readyInstances).toBe(2);
    await patch({ version: '15' });
    await expect.poll(state, patience).toEqual([healthyPhase, 2, '15']);
  });

  it('rejects an extension that the new version does not have, while the servers run', async () => {
    const started = await psql('SELECT pg_postmaster_start_time()');
    await psql('CREATE EXTENSION adminpack');
    await patch({ version: '17' });
    await expect
      .poll(message, patience)
      .toMatch(/version 15 runs again: the new version rejects the schema:.*adminpack/);
    expect(await reasons()).toContain('UpgradeFailed');
    expect(await psql('SELECT pg_postmaster_start_time()')).toBe(started);
    await patch({ version: '15' });
    await psql('DROP EXTENSION adminpack');
    await expect.poll(state, patience).toEqual([healthyPhase, 2, '15']);
  });

  it('rejects a parameter that the new version does not know, while the servers run', async () => {
    await patch({ parameters: { shared_buffers: '16MB', vacuum_defer_cleanup_age: '1' } });
    await expect.poll(() => psql('SHOW vacuum_defer_cleanup_age'), patience).toBe('1');
    await expect.poll(state, patience).toEqual([healthyPhase, 2, '15']);
    await patch({ version: '17' });
    await expect.poll(message, patience).toMatch(/unrecognized configuration parameter "vacuum_defer_cleanup_age"/);
    await patch({ version: '15', parameters: { vacuum_defer_cleanup_age: null } });
    await expect.poll(state, patience).toEqual([healthyPhase, 2, '15']);
  });

  it('returns to the old version if pg_upgrade rejects the data', async () => {
    // Only pg_upgrade checks this: template0 must not allow connections.
    await psql('ALTER DATABASE template0 ALLOW_CONNECTIONS true', { database: 'postgres' });
    await patch({ version: '17' });
    await expect.poll(message, patience).toMatch(/version 15 runs again: .*template0 must not allow connections/);
    await expect.poll(async () => (await status()).readyInstances, patience).toBe(2);
    expect(await psql('SELECT count(*) FROM orders')).toBe('10000');
    expect(await psql('SHOW server_version')).toMatch(/^15/);
    await psql('ALTER DATABASE template0 ALLOW_CONNECTIONS false', { database: 'postgres' });
    await patch({ version: '15' });
    await expect.poll(state, patience).toEqual([healthyPhase, 2, '15']);
  });

  it('upgrades the data, even if the upgrade pod is killed and the operator restarts halfway', async ({ annotate }) => {
    const { systemID, currentPrimary } = await status();
    const startedMs = performance.now();
    await patch({ version: '17' });
    const running = async () =>
      (await upgradePods()).find(
        ({ metadata, status: found }) => metadata.name.includes('-upgrade-17-') && found?.phase === 'Running',
      );
    await expect.poll(running, patience).toBeDefined();
    const stoppedMs = performance.now();
    const victim = (await running())?.metadata.name ?? '';
    await exec(
      victim,
      'until grep -q "" "$PGDATA.upgraded"/pg_upgrade_output.d/*/log/pg_upgrade_internal.log; do sleep 0.05; done',
    );
    // While pg_upgrade runs, the pod is killed with all its processes, and the operator restarts.
    await operated.client.resource(Pod).delete({ namespace, name: victim }, { gracePeriodSeconds: 0 });
    await operated.restartOperator();
    await expect.poll(state, patience).toEqual([healthyPhase, 2, '17']);
    const seconds = (from: number) => ((performance.now() - from) / 1000).toFixed(1);
    await annotate(
      `with one killed attempt: ${seconds(startedMs)} s in total, ${seconds(stoppedMs)} s from the stop of the servers until two instances were ready`,
    );
    const after = await status();
    expect(after.currentPrimary).toBe(currentPrimary);
    expect(after.systemID).not.toBe(systemID);
    expect(after.majorUpgrade).toBeUndefined();
    const succeeded = (await upgradePods()).find(({ status: found }) => found?.phase === 'Succeeded');
    expect(succeeded?.metadata.name).not.toBe(victim);
  });

  it('has all data on both servers, and a new archive with a base backup', async () => {
    const other = (await status()).instanceStatuses?.find(({ role }) => role === 'replica')?.name ?? '';
    for (const instance of [(await status()).currentPrimary ?? '', other]) {
      expect(await psql('SELECT count(*), count(DISTINCT item) FROM orders', { instance })).toBe('10000|10000');
      expect(await psql('SHOW server_version', { instance })).toMatch(/^17/);
    }
    expect(await psql('INSERT INTO orders (item) VALUES ($$new$$) RETURNING id')).toBe('10001');
    expect(await psql('SELECT extname FROM pg_extension ORDER BY 1')).toBe('pg_trgm\nplpgsql');
    expect(await psql('SELECT rolcanlogin FROM pg_roles WHERE rolname = $$reporter$$')).toBe('t');
    expect(await psql('SELECT has_table_privilege($$reporter$$, $$orders$$, $$SELECT$$)')).toBe('t');
    expect(await psql('SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = $$reports$$')).toBe('reporter');
    const primary = (await status()).currentPrimary ?? '';
    expect(await exec(primary, 'ls "$PGDATA/.." | grep pgdata')).toBe('pgdata');
    const phase = async () =>
      (await operated.client.resource(PostgresBackup).get({ namespace, name: 'shop-17' })).status?.phase;
    await expect.poll(phase, patience).toBe('Completed');
    const archiving = async () =>
      (await status()).conditions?.find(({ type }) => type === 'ContinuousArchiving')?.status;
    await expect.poll(archiving, patience).toBe('True');
    expect((await status()).archiveName).toBe('shop-17');
  });
});
