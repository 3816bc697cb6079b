import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { InstanceCluster, programFolder, user } from '../../dev/instance-cluster.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });
const patience = { timeout: 90_000, interval: 50 };

describe.skipIf(programFolder === undefined)('a restarted replica', () => {
  let cluster: InstanceCluster;
  beforeAll(async () => {
    cluster = await InstanceCluster.start({ instances: 2 });
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());

  const isStreaming = async () => (await cluster.instance('shop-2').report())?.isReceiving;

  /** Stops the replica, and adds WAL to its data that the primary does not have. pg_rewind does not detect this. */
  const diverge = async (): Promise<string> => {
    const replica = cluster.instance('shop-2');
    await replica.stop();
    const { dataDirectory } = replica.environment;
    rmSync(join(dataDirectory, 'standby.signal'));
    const input = 'INSERT INTO orders SELECT generate_series(1, 20000)\n';
    const args = ['--single', '-D', dataDirectory, '-c', 'synchronous_standby_names=', 'app'];
    const wrote = spawnSync(join(programFolder ?? '', 'postgres'), args, { ...user, cwd: '/', input });
    expect([wrote.status, String(wrote.stderr)]).toEqual([0, expect.not.stringContaining('ERROR')]);
    return dataDirectory;
  };

  it('streams before the first restart', async () => {
    await cluster.setTarget('shop-1');
    await cluster.add('shop-1');
    await expect.poll(() => cluster.status(), patience).toMatchObject({ currentPrimary: 'shop-1' });
    await cluster.instance('shop-1').query('CREATE TABLE orders (id int)');
    await cluster.add('shop-2');
    await expect.poll(isStreaming, patience).toBe(true);
  });

  it.each(['replica', 'former primary'])(
    'is cloned again if its data has diverged on the timeline of the primary: data of a %s',
    async (role) => {
      const data = await diverge();
      const signal = join(data, 'standby.signal');
      if (role === 'replica') {
        writeFileSync(signal, '');
        const { uid = 0, gid = 0 } = user ?? {};
        if (user) spawnSync('chown', [`${uid}:${gid}`, signal]);
      }
      // This file disappears when a clone replaces the folder.
      writeFileSync(join(data, 'diverged'), '');
      await cluster.add('shop-2');
      await expect.poll(() => existsSync(join(data, 'diverged')), patience).toBe(false);
      await expect.poll(isStreaming, patience).toBe(true);
      const rows = () => cluster.instance('shop-2').query('SELECT count(*)::int AS count FROM orders');
      await expect.poll(rows, patience).toEqual([{ count: 0 }]);
    },
  );

  it('keeps data that has not diverged', async () => {
    const replica = cluster.instance('shop-2');
    const kept = join(replica.environment.dataDirectory, 'kept');
    writeFileSync(kept, '');
    await replica.stop();
    await cluster.instance('shop-1').query('INSERT INTO orders VALUES (1)');
    await cluster.add('shop-2');
    const rows = () =>
      cluster
        .instance('shop-2')
        .query('SELECT id FROM orders')
        .catch(() => undefined);
    await expect.poll(rows, patience).toEqual([{ id: 1 }]);
    expect(existsSync(kept)).toBe(true);
  });
});
