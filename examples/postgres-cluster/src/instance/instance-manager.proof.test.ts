import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { AcknowledgedWrites } from '../../dev/acknowledged-writes.ts';
import { InstanceCluster, programFolder, quickLease, type RunningInstance } from '../../dev/instance-cluster.ts';
import { parseLsn } from '../lsn.ts';
import { dropSlots } from './sql/primary-duties.ts';
import { SqlSession } from './sql/sql-session.ts';
import { createSlot } from './sql/upstream.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });
const patience = { timeout: 90_000, interval: 50 };
const names = ['shop-1', 'shop-2', 'shop-3'];

describe.skipIf(programFolder === undefined)('instance managers (need the programs of PostgreSQL)', () => {
  let cluster: InstanceCluster;
  beforeAll(async () => {
    cluster = await InstanceCluster.start({ replication: { synchronous: 1 } });
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());

  const report = (name: string) => cluster.instance(name).report();
  const isStreaming = async (name: string) => {
    const { isReceiving, isPrimary, isReady } = (await report(name)) ?? {};
    return isReceiving === true && isPrimary === false && isReady === true;
  };
  const primary = async (): Promise<RunningInstance> => cluster.instance((await cluster.status()).currentPrimary ?? '');
  const replicas = async (): Promise<readonly string[]> => {
    const { currentPrimary } = await cluster.status();
    return names.filter((name) => name !== currentPrimary);
  };
  const allFollow = async () => {
    for (const name of await replicas()) await expect.poll(() => isStreaming(name), patience).toBe(true);
  };

  /** Elects a primary as the operator does: the replica with the most WAL, once no replica receives WAL. */
  const failOver = async (candidates: readonly string[]): Promise<RunningInstance> => {
    await cluster.setTarget('');
    const reports = async () => Promise.all(candidates.map((name) => report(name)));
    await expect
      .poll(async () => (await reports()).map((each) => each?.isReceiving), { ...patience, interval: 20 })
      .toEqual(candidates.map(() => false));
    const { timeline = 0 } = await cluster.status();
    for (const each of await reports()) expect(each?.timeline).toBe(timeline);
    const lsn = (each: Awaited<ReturnType<typeof report>>): bigint => parseLsn(each?.receivedLSN ?? '0/0');
    const [best] = (await reports()).sort((a, b) => (lsn(a) < lsn(b) ? 1 : -1));
    await cluster.setTarget(best?.name ?? '');
    await expect
      .poll(async () => (await cluster.status()).currentPrimary, { ...patience, interval: 20 })
      .toBe(best?.name);
    return primary();
  };

  it('initializes a new cluster, with checksums, once it is the target primary', async () => {
    const first = await cluster.add('shop-1');
    await expect.poll(async () => (await first.report())?.state, patience).toBe('waiting');
    await cluster.setTarget('shop-1');
    await expect.poll(() => cluster.status(), patience).toMatchObject({ currentPrimary: 'shop-1', timeline: 1 });
    expect(await cluster.lease()).toMatchObject({ holderIdentity: 'shop-1' });
    expect(await first.query('SHOW data_checksums')).toEqual([{ data_checksums: 'on' }]);
    await expect
      .poll(first.report.bind(first), patience)
      .toMatchObject({ state: 'running', isPrimary: true, isReady: true });
  });

  it('serves its report only to the operator, and probes without a certificate', async () => {
    const first = cluster.instance('shop-1');
    const { replication } = cluster.certificates;
    const peer = { cert: replication.certificate, key: replication.key };
    expect(await first.request('GET', '/readyz', {})).toMatchObject({ code: 200 });
    expect(await first.request('GET', '/livez', {})).toMatchObject({ code: 200 });
    expect(await first.request('GET', '/v1/status', {})).toMatchObject({ code: 403 });
    expect(await first.request('GET', '/v1/status', peer)).toMatchObject({ code: 403 });
    // shop-1 makes no promise to follow shop-2, because shop-1 is the primary and can reach the API server.
    expect(await first.request('GET', '/v1/primary?name=shop-2&forMs=6000', peer)).toMatchObject({ code: 409 });
  });

  it('clones replicas, which stream through replication slots', async () => {
    await cluster.add('shop-2');
    await cluster.add('shop-3');
    await allFollow();
    await cluster.instance('shop-1').query('CREATE TABLE orders (id int PRIMARY KEY)');
    await cluster.instance('shop-1').query('INSERT INTO orders VALUES (0)');
    for (const name of ['shop-2', 'shop-3']) {
      await expect.poll(() => cluster.instance(name).query('SELECT id FROM orders'), patience).toEqual([{ id: 0 }]);
    }
    const slots = await cluster.instance('shop-1').query('SELECT slot_name FROM pg_replication_slots ORDER BY 1');
    expect(slots).toEqual([{ slot_name: 'kubewright_shop_2' }, { slot_name: 'kubewright_shop_3' }]);
    await expect
      .poll(async () => (await report('shop-1'))?.replicas, patience)
      .toMatchObject([
        { name: 'shop-2', state: 'streaming', sync: 'quorum' },
        { name: 'shop-3', state: 'streaming', sync: 'quorum' },
      ]);
  });

  it('drops the slots of instances that no longer exist, but no slots of users', async () => {
    const { socketDirectory } = cluster.instance('shop-1').environment;
    await using sql = new SqlSession({ host: socketDirectory, user: 'postgres', database: 'postgres' });
    await sql.query(`SELECT pg_create_physical_replication_slot('shop_8')`);
    for (const name of ['shop-2', 'shop-9']) await createSlot(sql, name);
    await dropSlots(sql, { kept: ['shop-2', 'shop-3'] });
    const slots = await sql.query('SELECT slot_name FROM pg_replication_slots ORDER BY 1');
    expect(slots.map((slot) => slot['slot_name'])).toEqual(['kubewright_shop_2', 'kubewright_shop_3', 'shop_8']);
    await sql.query(`SELECT pg_drop_replication_slot('shop_8')`);
  });

  it('fails over when the server dies, without losing an acknowledged write, and the old primary rejoins', async ({
    annotate,
  }) => {
    const old = await primary();
    await using writes = await AcknowledgedWrites.start(cluster, old.environment.name);
    await expect.poll(() => writes.count, patience).toBeGreaterThan(20);
    const killedAt = performance.now();
    old.killServer();
    await expect.poll(async () => (await cluster.lease()).holderIdentity, { ...patience, interval: 10 }).toBe('');
    const next = await failOver(await replicas());
    await writes.moveTo(next.environment.name);
    await writes.waitForNext();
    await annotate(
      `SIGKILL of the primary to the next acknowledged write: ${Math.round(performance.now() - killedAt)} ms`,
    );
    expect(next).not.toBe(old);
    await allFollow();
    expect(await writes.missingAt(next.environment.name)).toEqual([]);
    expect((await cluster.status()).timeline).toBe(2);
    // No standby has written a restartpoint on the new timeline yet.
    for (const name of await replicas()) expect((await report(name))?.timeline).toBe(2);
  });

  it('restarts a killed server as the primary if no other instance is chosen', async () => {
    const old = await primary();
    old.killServer();
    await expect.poll(async () => (await cluster.lease()).holderIdentity, { ...patience, interval: 10 }).toBe('');
    await expect.poll(async () => (await old.report())?.isReady, patience).toBe(true);
    expect(await cluster.lease()).toMatchObject({ holderIdentity: old.environment.name });
    await allFollow();
  });

  it('acknowledges no write on a suspended primary after another instance was promoted', async ({ annotate }) => {
    const old = await primary();
    await using writes = await AcknowledgedWrites.start(cluster, old.environment.name);
    await expect.poll(() => writes.count, patience).toBeGreaterThan(20);
    const stoppedAt = performance.now();
    await old.suspend();
    const next = await failOver(await replicas());
    await writes.moveTo(next.environment.name);
    await writes.waitForNext();
    const ms = Math.round(performance.now() - stoppedAt);
    await annotate(`suspension of the primary to the next acknowledged write: ${ms} ms, with a Lease of 6 s`);
    await using stale = await AcknowledgedWrites.start(cluster, old.environment.name, { from: 1_000_000 });
    await old.resume();
    await allFollow();
    expect(await writes.missingAt(next.environment.name)).toEqual([]);
    expect(stale.count).toBe(0);
  });

  it('stops a primary that cannot reach the API server before its Lease expires', async () => {
    const old = await primary();
    old.proxy.silence();
    await expect.poll(() => old.serverProcesses(), patience).toEqual([]);
    // The Lease has not expired yet, so no other instance can have acquired it.
    expect((await cluster.lease()).holderIdentity).toBe(old.environment.name);
    const next = await failOver(await replicas());
    await next.query('INSERT INTO orders VALUES (-1)');
    old.proxy.open();
    await allFollow();
    await expect.poll(() => old.query('SELECT id FROM orders WHERE id = -1'), patience).toEqual([{ id: -1 }]);
  });

  it('keeps the servers running while the API server is unreachable', async () => {
    // A longer Lease, because renewals and confirmations may be slow on a busy machine.
    await cluster.setSpec({ lease: { durationSeconds: 30, renewDeadlineSeconds: 20, retryPeriodSeconds: 4 } });
    await expect.poll(async () => (await cluster.lease()).leaseDurationSeconds, patience).toBe(30);
    await allFollow();
    const current = await primary();
    const { leaseTransitions } = await cluster.lease();
    await using writes = await AcknowledgedWrites.start(cluster, current.environment.name, { timeoutMs: 30_000 });
    for (const name of names) cluster.instance(name).proxy.close();
    const closedAt = performance.now();
    // Waits longer than the Lease's duration.
    await expect.poll(() => performance.now() - closedAt, { ...patience, interval: 1_000 }).toBeGreaterThan(45_000);
    const before = writes.count;
    await expect.poll(() => writes.count, patience).toBeGreaterThan(before + 20);
    expect(writes.failures).toBe(0);
    for (const name of names) cluster.instance(name).proxy.open();
    await allFollow();
    expect(await cluster.lease()).toMatchObject({ holderIdentity: current.environment.name, leaseTransitions });
    expect((await cluster.status()).currentPrimary).toBe(current.environment.name);
    await cluster.setSpec({ lease: quickLease });
    await expect.poll(async () => (await cluster.lease()).leaseDurationSeconds, patience).toBe(6);
    // A shorter Lease may expire before the next renewal. The primary then stops and restarts.
    await expect.poll(async () => (await (await primary()).report())?.isReady, patience).toBe(true);
    await allFollow();
  }, 300_000);

  it('leaves no server behind when the instance manager is killed', async () => {
    const current = await primary();
    const { name } = current.environment;
    expect(await current.serverProcesses()).not.toEqual([]);
    current.signal('SIGKILL');
    await current.exited();
    await expect.poll(() => current.serverProcesses(), patience).toEqual([]);
    const restarted = await cluster.add(name);
    await expect.poll(async () => (await restarted.report())?.isReady, patience).toBe(true);
    expect((await restarted.report())?.isPrimary).toBe(true);
    await allFollow();
  });

  it('applies settings with a reload, or reports that they need a restart', async () => {
    const current = await primary();
    await cluster.setSpec({ parameters: { work_mem: '5MB', max_connections: '120' } });
    await expect.poll(async () => (await current.query('SHOW work_mem'))[0], patience).toEqual({ work_mem: '5MB' });
    await expect.poll(async () => (await current.report())?.pendingRestart, patience).toBe(true);
    for (const name of [...(await replicas()), current.environment.name]) {
      expect(await cluster.instance(name).request('POST', '/v1/restart')).toMatchObject({ code: 202 });
      const state = async () => {
        const found = await report(name);
        return [found?.state, found?.pendingRestart];
      };
      await expect.poll(state, patience).toEqual(['running', false]);
    }
    expect(await current.query('SHOW max_connections')).toEqual([{ max_connections: '120' }]);
    expect((await current.report())?.isPrimary).toBe(true);
    await allFollow();
  });

  it('keeps the last valid settings if new settings are rejected', async () => {
    const current = await primary();
    await cluster.setSpec({ parameters: { work_mem: 'much' } });
    await expect
      .poll(async () => (await current.report())?.settingsError, patience)
      .toContain('invalid value for parameter "work_mem": "much"');
    expect(await current.query('SHOW work_mem')).toEqual([{ work_mem: '5MB' }]);
    await cluster.setSpec({ parameters: { work_mem: '6MB', archive_mode: 'off' } });
    await expect
      .poll(async () => (await current.report())?.settingsError, patience)
      .toBe('the operator sets archive_mode itself');
    await cluster.setSpec({ parameters: { archive_mode: null } });
    await expect.poll(async () => (await current.report())?.settingsError, patience).toBeUndefined();
    await expect.poll(async () => (await current.query('SHOW work_mem'))[0], patience).toEqual({ work_mem: '6MB' });
  });

  it('stops a fenced server, and restarts it when the fencing ends', async () => {
    const [name = ''] = await replicas();
    await cluster.setSpec({ fenced: [name] });
    await expect.poll(async () => (await report(name))?.state, patience).toBe('fenced');
    expect(await cluster.instance(name).serverProcesses()).toEqual([]);
    await cluster.setSpec({ fenced: null });
    await allFollow();
  });

  it('switches over without a rewind: the new primary has all WAL of the old primary, which then follows it', async () => {
    const old = await primary();
    await old.query('INSERT INTO orders VALUES (-2)');
    const next = await failOver(await replicas());
    expect(await next.query('SELECT id FROM orders WHERE id = -2')).toEqual([{ id: -2 }]);
    await allFollow();
  });

  it('replaces the data of an old primary with a clone if its WAL is gone', async () => {
    const old = await primary();
    const { name, dataDirectory } = old.environment;
    old.signal('SIGKILL');
    await old.exited();
    await expect.poll(() => old.serverProcesses(), patience).toEqual([]);
    const next = await failOver(await replicas());
    const wal = join(dataDirectory, 'pg_wal');
    for (const file of readdirSync(wal).filter((each) => /^[0-9A-F]{24}$/.test(each))) rmSync(join(wal, file));
    await next.query('INSERT INTO orders VALUES (-3)');
    const restarted = await cluster.add(name);
    await allFollow();
    await expect.poll(() => restarted.query('SELECT id FROM orders WHERE id = -3'), patience).toEqual([{ id: -3 }]);
  });
});
