import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { InstanceCluster, programFolder, type RunningInstance } from '../../dev/instance-cluster.ts';
import { lsnOf } from '../lsn.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });
const patience = { timeout: 90_000, interval: 50 };

describe.skipIf(programFolder === undefined)('a single instance (needs PostgreSQL)', () => {
  let cluster: InstanceCluster;
  let instance: RunningInstance;
  beforeAll(async () => {
    cluster = await InstanceCluster.start({ instances: 1 });
    instance = await cluster.add('shop-1');
    await cluster.setTarget('shop-1');
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());
  const isReady = async () => (await instance.report())?.isReady;

  it('keeps its server running while the API server is unreachable, until another pod uses its volume', async () => {
    await expect.poll(isReady, patience).toBe(true);
    await instance.query('CREATE TABLE orders (id int)');
    instance.proxy.close();
    const closedAt = performance.now();
    // Longer than the duration of the Lease.
    await expect.poll(() => performance.now() - closedAt, { ...patience, interval: 1_000 }).toBeGreaterThan(10_000);
    await instance.query('INSERT INTO orders VALUES (1)');
    const owner = join(dirname(instance.environment.dataDirectory), 'owner');
    writeFileSync(owner, 'another-pod');
    await expect.poll(() => instance.serverProcesses(), patience).toEqual([]);
    writeFileSync(owner, instance.environment.podUID);
    instance.proxy.open();
    await expect.poll(isReady, patience).toBe(true);
  });

  it('reports the position of the shutdown checkpoint after a clean stop, but not after a kill', async () => {
    const [row] = await instance.query('SELECT pg_current_wal_flush_lsn()::text AS lsn');
    await cluster.setTarget('');
    await expect.poll(async () => (await instance.report())?.shutdownLSN, patience).toBeDefined();
    expect(lsnOf((await instance.report())?.shutdownLSN)).toBeGreaterThanOrEqual(lsnOf(String(row?.['lsn'])));
    await cluster.setTarget('shop-1');
    await expect.poll(isReady, patience).toBe(true);
    expect((await instance.report())?.shutdownLSN).toBeUndefined();
    instance.signal('SIGKILL');
    await instance.exited();
    await cluster.setTarget('');
    instance = await cluster.add('shop-1');
    await expect.poll(async () => (await instance.report())?.data, patience).toBe('primary');
    expect((await instance.report())?.shutdownLSN).toBeUndefined();
  });
});
