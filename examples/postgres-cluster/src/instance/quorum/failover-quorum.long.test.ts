import { Pod } from '@kubewright/apimachinery/core/v1';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { InstanceCluster, programFolder } from '../../../dev/instance-cluster.ts';

// Long, because each test starts or stops PostgreSQL servers.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });
const patience = { timeout: 90_000, interval: 50 };
const quorum = (standbyNumber: number, ...standbyNames: string[]) => ({ standbyNumber, standbyNames });

describe.skipIf(programFolder === undefined)('the failover quorum (needs the programs of PostgreSQL)', () => {
  let cluster: InstanceCluster;
  beforeAll(async () => {
    cluster = await InstanceCluster.start({ replication: { synchronous: 1 } });
    await cluster.setTarget('shop-1');
    for (const name of ['shop-1', 'shop-2', 'shop-3']) await cluster.add(name);
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());

  const quorums = async () => (await cluster.status()).failoverQuorums;
  const setting = async () => (await cluster.instance('shop-1').query('SHOW synchronous_standby_names'))[0];
  const ids = (name: string) => cluster.instance(name).query('SELECT id FROM orders ORDER BY id');

  it('lists the replicas once they have connected', async () => {
    await expect.poll(quorums, patience).toEqual([quorum(1, 'shop-2', 'shop-3')]);
    await expect.poll(async () => (await cluster.instance('shop-1').report())?.isReady, patience).toBe(true);
    await cluster.instance('shop-1').query('CREATE TABLE orders (id int PRIMARY KEY)', { timeoutMs: 60_000 });
    expect(await setting()).toEqual({ synchronous_standby_names: 'ANY 1 ("shop-2", "shop-3")' });
  });

  it('lists a removed replica until another replica has its commits', async () => {
    await expect.poll(() => ids('shop-2').catch(() => undefined), patience).toEqual([]);
    await cluster.instance('shop-2').suspend();
    // Only shop-3 confirms this commit.
    await cluster.instance('shop-1').query('INSERT INTO orders VALUES (1)');
    await cluster.client.resource(Pod).delete({ ...cluster.key, name: 'shop-3' });
    await expect.poll(setting, patience).toEqual({ synchronous_standby_names: 'ANY 1 ("shop-2")' });
    expect(await quorums()).toEqual([quorum(1, 'shop-2', 'shop-3'), quorum(1, 'shop-2')]);
    await cluster.instance('shop-2').resume();
    await expect.poll(quorums, patience).toEqual([quorum(1, 'shop-2')]);
    await expect.poll(() => ids('shop-2').catch(() => undefined), patience).toEqual([{ id: 1 }]);
  });

  it('requires more replicas only once they have every earlier commit', async () => {
    await cluster.instance('shop-3').stop();
    await cluster.setSpec({ replication: { synchronous: 2 } });
    await cluster.add('shop-4');
    await expect.poll(quorums, patience).toEqual([quorum(2, 'shop-2', 'shop-4')]);
    expect(await setting()).toEqual({ synchronous_standby_names: 'ANY 2 ("shop-2", "shop-4")' });
    expect(await ids('shop-4')).toEqual([{ id: 1 }]);
  });

  it('is empty while durability is preferred', async () => {
    await cluster.setSpec({ replication: { synchronous: 1, durability: 'preferred' } });
    await expect.poll(quorums, patience).toEqual([]);
    await expect.poll(setting, patience).toEqual({ synchronous_standby_names: 'ANY 1 ("shop-2", "shop-4")' });
    await cluster.setSpec({ replication: { durability: 'required' } });
    await expect.poll(quorums, patience).toEqual([quorum(1, 'shop-2', 'shop-4')]);
  });

  it('does not delay commits for absent replicas while durability is preferred', async () => {
    await cluster.setSpec({ replication: { synchronous: 1, durability: 'preferred' } });
    await expect.poll(setting, patience).toEqual({ synchronous_standby_names: 'ANY 1 ("shop-2", "shop-4")' });
    await cluster.instance('shop-4').stop();
    await expect.poll(setting, patience).toEqual({ synchronous_standby_names: 'ANY 1 ("shop-2")' });
    // A connected replica confirms each commit.
    const { replicas } = (await cluster.instance('shop-1').report()) ?? {};
    expect(replicas).toMatchObject([{ name: 'shop-2', sync: 'quorum' }]);
    await cluster.instance('shop-2').stop();
    await cluster.instance('shop-1').query('INSERT INTO orders VALUES (2)', { timeoutMs: 30_000 });
    expect(await setting()).toEqual({ synchronous_standby_names: '' });
    await cluster.add('shop-2');
    await expect.poll(setting, patience).toEqual({ synchronous_standby_names: 'ANY 1 ("shop-2")' });
    await cluster.instance('shop-1').query('INSERT INTO orders VALUES (3)', { timeoutMs: 30_000 });
    await expect.poll(() => ids('shop-2'), patience).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);
  });
});
