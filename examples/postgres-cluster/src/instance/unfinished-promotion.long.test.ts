import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ArchivingPair } from '../../dev/archiving-pair.ts';
import { programFolder } from '../../dev/instance-cluster.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });
const patience = { timeout: 90_000, interval: 50 };

describe.skipIf(programFolder === undefined)('an unfinished promotion (needs PostgreSQL)', () => {
  let pair: ArchivingPair;
  beforeAll(async () => {
    pair = await ArchivingPair.start();
  });
  afterAll(() => pair?.[Symbol.asyncDispose]());

  it('leaves a timeline history in the archive that standbys do not follow', async () => {
    const { archive, cluster, primary, standby } = pair;
    await primary.query('CREATE TABLE orders (id int PRIMARY KEY)');
    // Simulates an instance that was promoted at this position, archived its timeline history, and was lost with its
    // WAL.
    await expect.poll(() => pair.archivedFiles().some((path) => path.endsWith('.gz')), patience).toBe(true);
    await standby.stop();
    const [row] = await primary.query('SELECT pg_current_wal_insert_lsn()::text AS lsn');
    const content = `1\t${String(row?.['lsn'])}\tno recovery target specified\n`;
    mkdirSync(join(archive, 'shop', 'wal'), { recursive: true });
    writeFileSync(join(archive, 'shop', 'wal', '00000002.history.gz'), gzipSync(content), { mode: 0o644 });
    await primary.query('INSERT INTO orders VALUES (1)');
    const restarted = await cluster.add('shop-2');
    await expect.poll(async () => (await restarted.report())?.isReceiving, patience).toBe(true);
    await expect.poll(() => restarted.query('SELECT id FROM orders'), patience).toEqual([{ id: 1 }]);
    expect((await restarted.report())?.timeline).toBe(1);
    // The next promotion uses the number after that timeline, so that its history can be archived, too.
    await pair.failOver();
    await expect.poll(() => cluster.status(), patience).toMatchObject({ currentPrimary: 'shop-2', timeline: 3 });
    await expect
      .poll(() => pair.archivedFiles().some((path) => path.endsWith('00000003.history.gz')), patience)
      .toBe(true);
    expect(await restarted.query('SELECT id FROM orders')).toEqual([{ id: 1 }]);
  });
});
