import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { InstanceCluster, programFolder } from '../../dev/instance-cluster.ts';
import { PostgresFolder } from '../../dev/postgres-server.ts';
import type { PostgresClusterSpec } from '../api/v1/postgres-cluster.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });
const patience = { timeout: 90_000, interval: 50 };

describe.skipIf(programFolder === undefined)('a promotion that was not finished (needs PostgreSQL)', () => {
  const folder = new PostgresFolder();
  const archive = folder.make('archive');
  const backup: PostgresClusterSpec['backup'] = { volume: { claimName: 'archive' } };
  let cluster: InstanceCluster;
  beforeAll(async () => {
    cluster = await InstanceCluster.start({ backup, parameters: { archive_timeout: '1s' } }, { archive });
    await cluster.setTarget('shop-1');
    for (const name of ['shop-1', 'shop-2']) await cluster.add(name);
    const isReceiving = async () => expect((await cluster.instance('shop-2').report())?.isReceiving).toBe(true);
    await vi.waitFor(isReceiving, patience);
  });
  afterAll(async () => {
    await cluster?.[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  it('leaves a history in the archive, which standbys do not follow', async () => {
    const [primary, standby] = [cluster.instance('shop-1'), cluster.instance('shop-2')];
    await primary.query('CREATE TABLE orders (id int PRIMARY KEY)');
    // An instance was promoted at this position, archived its history, and was lost with its WAL. The primary continued.
    const archivedFiles = () => readdirSync(archive, { recursive: true, encoding: 'utf8' });
    await expect.poll(() => archivedFiles().some((path) => path.endsWith('.gz')), patience).toBe(true);
    await standby.stop();
    const [row] = await primary.query('SELECT pg_current_wal_insert_lsn()::text AS lsn');
    const content = `1\t${String(row?.['lsn'])}\tno recovery target specified\n`;
    mkdirSync(join(archive, 'shop', 'wal'), { recursive: true });
    writeFileSync(join(archive, 'shop', 'wal', '00000002.history.gz'), gzipSync(content), { mode: 0o644 });
    await primary.query('INSERT INTO orders VALUES (1)');
    const again = await cluster.add('shop-2');
    await expect.poll(async () => (await again.report())?.isReceiving, patience).toBe(true);
    await expect.poll(() => again.query('SELECT id FROM orders'), patience).toEqual([{ id: 1 }]);
    expect((await again.report())?.timeline).toBe(1);
    // The next promotion chooses another number, so that its history is archived, too.
    primary.killServer();
    await expect.poll(async () => (await cluster.lease()).holderIdentity, patience).toBe('');
    await cluster.setTarget('');
    await expect.poll(async () => (await again.report())?.isReceiving, patience).toBe(false);
    await cluster.setTarget('shop-2');
    await expect.poll(() => cluster.status(), patience).toMatchObject({ currentPrimary: 'shop-2', timeline: 3 });
    await expect.poll(() => archivedFiles().some((path) => path.endsWith('00000003.history.gz')), patience).toBe(true);
    expect(await again.query('SELECT id FROM orders')).toEqual([{ id: 1 }]);
  });
});
