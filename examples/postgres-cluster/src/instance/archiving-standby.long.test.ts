import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ArchivingPair } from '../../dev/archiving-pair.ts';
import { InstanceCluster, programFolder } from '../../dev/instance-cluster.ts';
import type { BackupReport } from './protocol.ts';

vi.setConfig({ testTimeout: 360_000, hookTimeout: 240_000 });
const patience = { timeout: 90_000, interval: 50 };

describe.skipIf(programFolder === undefined)('a primary and a standby that archive WAL (needs PostgreSQL)', () => {
  let pair: ArchivingPair;
  beforeAll(async () => {
    pair = await ArchivingPair.start({ replication: { synchronous: 1 } });
  });
  afterAll(() => pair?.[Symbol.asyncDispose]());

  const segments = () => pair.archivedFiles().filter((path) => /\/[\dA-F]{24}\.gz$/.test(path));

  it('clones a new replica without a backup while the archive is unavailable', async () => {
    const { archive, cluster } = pair;
    chmodSync(archive, 0);
    try {
      const added = await cluster.add('shop-3');
      await expect.poll(async () => (await added.report())?.isReceiving, patience).toBe(true);
    } finally {
      chmodSync(archive, 0o700);
    }
    await cluster.instance('shop-3').stop();
  });

  it('archives WAL that the primary could not archive, so that a restore after a failover has every commit', async () => {
    const { cluster, folder, primary, standby } = pair;
    await primary.query('CREATE TABLE orders (id int PRIMARY KEY)');
    await primary.request('POST', '/v1/backups?name=first&uid=u-1&type=full');
    const phase = async () =>
      (JSON.parse((await primary.request('GET', '/v1/backups/u-1')).body || '{}') as Partial<BackupReport>).phase;
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
    await pair.failOver();
    await cluster.setSpec({ replication: { synchronous: 0 } });
    await standby.query('INSERT INTO orders VALUES (2)', { timeoutMs: 60_000 });
    await expect.poll(() => segments().some((path) => /\/00000002[\dA-F]{16}\.gz$/.test(path)), patience).toBe(true);
    const restore = { from: { cluster: 'shop', target: { volume: { claimName: 'archive' } } } };
    await using restored = await InstanceCluster.start(
      { parameters: { archive_timeout: '1s' }, bootstrap: { restore } },
      { archive: folder.make('own-archive'), recovery: pair.archive },
    );
    await restored.setTarget('shop-1');
    const server = await restored.add('shop-1');
    await expect.poll(async () => (await restored.status()).currentPrimary, patience).toBe('shop-1');
    expect(await server.query('SELECT id FROM orders ORDER BY id')).toEqual([{ id: 1 }, { id: 2 }]);
  });
});
