import { chmodSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { InstanceCluster, programFolder } from '../../dev/instance-cluster.ts';
import { PostgresFolder } from '../../dev/postgres-server.ts';
import type { PostgresClusterSpec } from '../api/v1/postgres-cluster.ts';
import type { BackupReport } from './protocol.ts';

vi.setConfig({ testTimeout: 360_000, hookTimeout: 240_000 });
const patience = { timeout: 90_000, interval: 50 };

describe.skipIf(programFolder === undefined)('WAL that only a standby can archive (needs PostgreSQL)', () => {
  const folder = new PostgresFolder();
  const archive = folder.make('archive');
  const backup: PostgresClusterSpec['backup'] = { volume: { claimName: 'archive' } };
  const parameters = { archive_timeout: '1s' };
  let cluster: InstanceCluster;
  beforeAll(async () => {
    cluster = await InstanceCluster.start({ backup, parameters, replication: { synchronous: 1 } }, { archive });
    await cluster.setTarget('shop-1');
    for (const name of ['shop-1', 'shop-2']) await cluster.add(name);
    const isReceiving = async () => expect((await cluster.instance('shop-2').report())?.isReceiving).toBe(true);
    await vi.waitFor(isReceiving, patience);
  });
  afterAll(async () => {
    await cluster?.[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  const segments = () =>
    readdirSync(archive, { recursive: true, encoding: 'utf8' }).filter((path) => /\/[\dA-F]{24}\.gz$/.test(path));

  it('does not delay new replicas: they are cloned without an archive and without a backup', async () => {
    chmodSync(archive, 0);
    try {
      const added = await cluster.add('shop-3');
      await expect.poll(async () => (await added.report())?.isReceiving, patience).toBe(true);
    } finally {
      chmodSync(archive, 0o700);
    }
    await cluster.instance('shop-3').stop();
  });

  it('is archived, so that a failover leaves no gap, and a restore has every commit', async () => {
    const [primary, standby] = [cluster.instance('shop-1'), cluster.instance('shop-2')];
    await primary.query('CREATE TABLE orders (id int PRIMARY KEY)');
    await primary.ask('POST', '/v1/backups?name=first&uid=u-1&type=full');
    const phase = async () =>
      (JSON.parse((await primary.ask('GET', '/v1/backups/u-1')).body || '{}') as Partial<BackupReport>).phase;
    await expect.poll(phase, patience).toBe('Completed');
    // From now on, the primary cannot reach the archive.
    const location = join(cluster.folder, 'shop-1', 'archive', 'archive.json');
    writeFileSync(location, JSON.stringify({ folder: 'shop', directory: '/nowhere' }));
    await primary.query('INSERT INTO orders VALUES (1)');
    const [{ segment } = {}] = await primary.query('SELECT pg_walfile_name(pg_current_wal_insert_lsn()) AS segment');
    await expect
      .poll(async () => (await primary.report())?.archive?.message, patience)
      .toMatch(/^cannot archive .*no such file/);
    await expect.poll(() => segments().some((path) => path.endsWith(`/${segment}.gz`)), patience).toBe(true);
    primary.killServer();
    await expect.poll(async () => (await cluster.lease()).holderIdentity, patience).toBe('');
    await cluster.setTarget('');
    await expect.poll(async () => (await standby.report())?.isReceiving, patience).toBe(false);
    await cluster.setTarget('shop-2');
    await expect.poll(async () => (await cluster.status()).currentPrimary, patience).toBe('shop-2');
    await cluster.setSpec({ replication: { synchronous: 0 } });
    await standby.query('INSERT INTO orders VALUES (2)', { timeoutMs: 60_000 });
    await expect.poll(() => segments().some((path) => /\/00000002[\dA-F]{16}\.gz$/.test(path)), patience).toBe(true);
    const restore = { from: { cluster: 'shop', target: backup } };
    await using restored = await InstanceCluster.start(
      { parameters, bootstrap: { restore } },
      { archive: folder.make('own-archive'), recovery: archive },
    );
    await restored.setTarget('shop-1');
    const server = await restored.add('shop-1');
    await expect.poll(async () => (await restored.status()).currentPrimary, patience).toBe('shop-1');
    expect(await server.query('SELECT id FROM orders ORDER BY id')).toEqual([{ id: 1 }, { id: 2 }]);
  });
});
