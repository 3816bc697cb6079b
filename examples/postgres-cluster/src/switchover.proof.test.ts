import { Event as KubernetesEvent } from '@kubewright/apimachinery/events/v1';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { programFolder } from '../dev/instance-cluster.ts';
import { OperatedCluster } from '../dev/operated-cluster.ts';
import { ShopCluster } from '../dev/shop-cluster.ts';
import { PostgresCluster } from './api/v1/postgres-cluster.ts';
import { healthyPhase } from './controllers/cluster-status.ts';
import { primaryAnnotation } from './controllers/observe-cluster.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 180_000 });
const patience = { timeout: 120_000, interval: 100 };
const namespace = 'default';
const key = { namespace, name: 'shop' };

describe.skipIf(programFolder === undefined)('a switchover (needs the programs of PostgreSQL)', () => {
  let operated: OperatedCluster;
  let shop: ShopCluster;
  beforeAll(async () => {
    operated = await OperatedCluster.start({ nodes: 2 });
    shop = new ShopCluster(operated.client);
    await shop.create({
      instances: 2,
      database: { name: 'shop' },
      replication: { switchoverDelaySeconds: 3, maxSwitchoverLag: '20Mi' },
    });
  });
  afterAll(() => operated?.[Symbol.asyncDispose]());

  const exec = async (name: string, script: string) => {
    await using process = await operated.client.pods.exec({ namespace, name }, { command: ['sh', '-c', script] });
    const { exitCode, stdout, stderr } = await process.text();
    expect(exitCode, stderr).toBe(0);
    return stdout.trim();
  };
  const sql = (name: string, statement: string) => exec(name, `psql -XU postgres -tAc "${statement}" shop`);
  const cluster = () => operated.client.resource(PostgresCluster).get(key);
  const request = (instance: string) =>
    operated.client.resource(PostgresCluster).patch(key, {
      type: 'merge',
      body: { metadata: { annotations: { [primaryAnnotation]: instance } } },
    });
  /** Stops the process of a replica that receives WAL. The primary stays connected to it. Returns a function that continues it. */
  const silence = async (replica: string) => {
    const pid = await sql(replica, 'SELECT pid FROM pg_stat_wal_receiver');
    await exec(replica, `kill -STOP ${pid}`);
    return () => exec(replica, `kill -CONT ${pid}`);
  };

  it('starts only when the lag of a replica is below replication.maxSwitchoverLag', async () => {
    await expect.poll(() => shop.state(), patience).toEqual([healthyPhase, 2]);
    await sql('shop-1', 'CREATE TABLE orders (id int)');
    const resume = await silence('shop-2');
    for (const id of [1, 2, 3]) {
      await sql('shop-1', `INSERT INTO orders VALUES (${id})`);
      await sql('shop-1', 'SELECT pg_switch_wal()');
    }
    await request('shop-2');
    await expect
      .poll(async () => (await cluster()).status, patience)
      .toMatchObject({
        phase: 'Switchover delayed',
        phaseReason: expect.stringMatching(/^a switchover to shop-2 was requested; shop-2 is \d+ MiB behind$/),
        targetPrimary: 'shop-1',
      });
    expect(await sql('shop-1', 'SELECT count(*) FROM orders')).toBe('3');
    await resume();
    await expect
      .poll(async () => (await cluster()).status, patience)
      .toMatchObject({ phase: healthyPhase, currentPrimary: 'shop-2', readyInstances: 2 });
    expect(await sql('shop-2', 'SELECT count(*) FROM orders')).toBe('3');
  });

  it('ends with the former primary if it must be killed after switchoverDelaySeconds, and loses no commit', async () => {
    const resume = await silence('shop-1');
    await sql('shop-2', 'INSERT INTO orders VALUES (4)');
    await request('shop-1');
    await expect.poll(async () => (await cluster()).status?.switchoverFrom, patience).toBe('shop-2');
    // The server writes its last checkpoint, and waits for the replica until it is killed.
    const server = () => exec('shop-2', 'kill -0 $(head -n 1 "$PGDATA/postmaster.pid") && echo running || echo killed');
    await expect.poll(server, patience).toBe('killed');
    await resume();
    await expect
      .poll(async () => (await cluster()).status, patience)
      .toMatchObject({
        phase: healthyPhase,
        currentPrimary: 'shop-2',
        readyInstances: 2,
        switchoverFailure: { instance: 'shop-2', count: 1, message: 'shop-1 lacks the last WAL of shop-2' },
      });
    expect(await sql('shop-2', 'SELECT count(*) FROM orders')).toBe('4');
    expect((await cluster()).metadata.annotations?.[primaryAnnotation]).toBeUndefined();
    const events = await operated.client.resource(KubernetesEvent).list({ namespace });
    expect(events.items.find(({ reason }) => reason === 'SwitchoverFailed')).toMatchObject({
      type: 'Warning',
      note: 'shop-2 becomes the primary again: shop-1 lacks the last WAL of shop-2',
    });
  });
});
