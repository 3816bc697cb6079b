import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { AcknowledgedWrites } from '../../dev/acknowledged-writes.ts';
import { InstanceCluster, programFolder, quickLease, type RunningInstance } from '../../dev/instance-cluster.ts';
import { parseLsn } from './server/wal-position.ts';
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

  /** Elects a primary as the operator does: only when the Lease is free, and no replica receives WAL. */
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

  it('creates the database of a new cluster once it is the target primary, with checksums', async () => {
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

  it('reports only to the operator; probes need no certificate', async () => {
    const first = cluster.instance('shop-1');
    const { replication } = cluster.certificates;
    const peer = { cert: replication.certificate, key: replication.key };
    expect(await first.ask('GET', '/readyz', {})).toMatchObject({ code: 200 });
    expect(await first.ask('GET', '/livez', {})).toMatchObject({ code: 200 });
    expect(await first.ask('GET', '/v1/status', {})).toMatchObject({ code: 403 });
    expect(await first.ask('GET', '/v1/status', peer)).toMatchObject({ code: 403 });
    // The API server is reachable, and it is not a replica.
    expect(await first.ask('GET', '/v1/primary?name=shop-2&forMs=6000', peer)).toMatchObject({ code: 409 });
  });

  it('clones replicas, which stream from slots', async () => {
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

  it('drops slots of instances that no longer exist, and none of users', async () => {
    const { socketDirectory } = cluster.instance('shop-1').environment;
    await using sql = new SqlSession({ host: socketDirectory, user: 'postgres', database: 'postgres' });
    await sql.query(`SELECT pg_create_physical_replication_slot('shop_8')`);
    for (const name of ['shop-2', 'shop-9']) await createSlot(sql, name);
    await dropSlots(sql, { kept: ['shop-2', 'shop-3'] });
    const slots = await sql.query('SELECT slot_name FROM pg_replication_slots ORDER BY 1');
    expect(slots.map((slot) => slot['slot_name'])).toEqual(['kubewright_shop_2', 'kubewright_shop_3', 'shop_8']);
    await sql.query(`SELECT pg_drop_replication_slot('shop_8')`);
  });

  it('releases the Lease when the server dies; no acknowledged write is lost; the old primary rejoins', async ({
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
    await writes.another();
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

  it('starts a killed server again as the primary if no other instance is chosen', async () => {
    const old = await primary();
    old.killServer();
    await expect.poll(async () => (await cluster.lease()).holderIdentity, { ...patience, interval: 10 }).toBe('');
    await expect.poll(async () => (await old.report())?.isReady, patience).toBe(true);
    expect(await cluster.lease()).toMatchObject({ holderIdentity: old.environment.name });
    await allFollow();
  });

  it('acknowledges no write of a silent primary after another one was promoted', async ({ annotate }) => {
    const old = await primary();
    await using writes = await AcknowledgedWrites.start(cluster, old.environment.name);
    await expect.poll(() => writes.count, patience).toBeGreaterThan(20);
    const stoppedAt = performance.now();
    await old.freeze('SIGSTOP');
    const next = await failOver(await replicas());
    await writes.moveTo(next.environment.name);
    await writes.another();
    const ms = Math.round(performance.now() - stoppedAt);
    await annotate(`silent primary to the next acknowledged write: ${ms} ms, with a Lease of 6 s`);
    await using stale = await AcknowledgedWrites.start(cluster, old.environment.name, { from: 1_000_000 });
    await old.freeze('SIGCONT');
    await allFollow();
    expect(await writes.missingAt(next.environment.name)).toEqual([]);
    expect(stale.count).toBe(0);
  });

  it('stops a primary that cannot reach the API server before its Lease expires', async () => {
    const old = await primary();
    old.proxy.silence();
    await expect.poll(() => old.serverProcesses(), patience).toEqual([]);
    // No other instance could acquire it so far.
    expect((await cluster.lease()).holderIdentity).toBe(old.environment.name);
    const next = await failOver(await replicas());
    await next.query('INSERT INTO orders VALUES (-1)');
    old.proxy.open();
    await allFollow();
    await expect.poll(() => old.query('SELECT id FROM orders WHERE id = -1'), patience).toEqual([{ id: -1 }]);
  });

  it('keeps the servers running while the API server is away', async () => {
    // A busy machine may be slow to renew and to confirm.
    await cluster.setSpec({ lease: { durationSeconds: 30, renewDeadlineSeconds: 20, retryPeriodSeconds: 4 } });
    await expect.poll(async () => (await cluster.lease()).leaseDurationSeconds, patience).toBe(30);
    await allFollow();
    const current = await primary();
    const { leaseTransitions } = await cluster.lease();
    await using writes = await AcknowledgedWrites.start(cluster, current.environment.name, { timeoutMs: 30_000 });
    for (const name of names) cluster.instance(name).proxy.close();
    const closedAt = performance.now();
    // Longer than the Lease's duration.
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
    // A shorter Lease may end before the next renewal; the primary then stops, and starts again.
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
    const again = await cluster.add(name);
    await expect.poll(async () => (await again.report())?.isReady, patience).toBe(true);
    expect((await again.report())?.isPrimary).toBe(true);
    await allFollow();
  });

  it('applies settings by a reload, or says that they need a restart', async () => {
    const current = await primary();
    await cluster.setSpec({ parameters: { work_mem: '5MB', max_connections: '120' } });
    await expect.poll(async () => (await current.query('SHOW work_mem'))[0], patience).toEqual({ work_mem: '5MB' });
    await expect.poll(async () => (await current.report())?.pendingRestart, patience).toBe(true);
    for (const name of [...(await replicas()), current.environment.name]) {
      expect(await cluster.instance(name).ask('POST', '/v1/restart')).toMatchObject({ code: 202 });
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

  it('keeps the last settings if the server refuses new ones', async () => {
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

  it('stops a fenced server, and starts it again', async () => {
    const [name = ''] = await replicas();
    await cluster.setSpec({ fenced: [name] });
    await expect.poll(async () => (await report(name))?.state, patience).toBe('fenced');
    expect(await cluster.instance(name).serverProcesses()).toEqual([]);
    await cluster.setSpec({ fenced: null });
    await allFollow();
  });

  it('switches over: the old primary stops, all its WAL arrives, and it follows the new one without a rewind', async () => {
    const old = await primary();
    await old.query('INSERT INTO orders VALUES (-2)');
    const next = await failOver(await replicas());
    expect(await next.query('SELECT id FROM orders WHERE id = -2')).toEqual([{ id: -2 }]);
    await allFollow();
  });

  it('clones an old primary again if its WAL is gone', async () => {
    const old = await primary();
    const { name, dataDirectory } = old.environment;
    old.signal('SIGKILL');
    await old.exited();
    await expect.poll(() => old.serverProcesses(), patience).toEqual([]);
    const next = await failOver(await replicas());
    const wal = join(dataDirectory, 'pg_wal');
    for (const file of readdirSync(wal).filter((each) => /^[0-9A-F]{24}$/.test(each))) rmSync(join(wal, file));
    await next.query('INSERT INTO orders VALUES (-3)');
    const again = await cluster.add(name);
    await allFollow();
    await expect.poll(() => again.query('SELECT id FROM orders WHERE id = -3'), patience).toEqual([{ id: -3 }]);
  });
});
