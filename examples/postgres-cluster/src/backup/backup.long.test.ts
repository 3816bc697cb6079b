import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@kubewright/apimachinery';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ArchivedServer, hasPostgres } from '../../dev/archived-server.ts';
import { TestServer } from '../../dev/postgres-server.ts';
import { S3Server } from '../../dev/s3-server.ts';
import type { ArchiveStore } from '../archive/archive-store.ts';
import { applyRetention } from './apply-retention.ts';
import { backupFiles, listBackups } from './archived-backup.ts';
import { runDrill } from './drill.ts';
import { verifyBackup } from './verify-backup.ts';

// Each restore starts a process for each WAL file, which is slow on a busy machine.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const { signal } = new AbortController();
const hasS3Server = spawnSync('versitygw', ['--version']).status === 0;

/** Runs a restore drill on a server's archive. */
function drill({ location, folder, programs, wal }: ArchivedServer, query: string) {
  const context = { folder: folder.path, programs, walCommand: wal.command, clock: systemClock, signal };
  return runDrill({ location, query, database: 'postgres' }, context);
}

describe.skipIf(!hasPostgres())('base backups (needs postgres on the PATH)', () => {
  let archived: ArchivedServer;
  beforeAll(async () => {
    archived = await ArchivedServer.start();
    await archived.server.query('CREATE TABLE orders AS SELECT generate_series(1, 1000) AS id');
  });
  afterAll(() => archived?.[Symbol.asyncDispose]());

  const file = (name: string) => join(archived.location.directory ?? '', 'shop', name);

  it('are listed with their metadata, and leave no replication slot', async () => {
    const backup = await archived.backup('first');
    expect(backup).toMatchObject({
      id: expect.stringMatching(/^\d{8}T\d{6}Z-first$/),
      type: 'full',
      timeline: 1,
      segmentBytes: 16 * 1024 * 1024,
      systemID: await archived.server.query('SELECT system_identifier FROM pg_control_system()'),
    });
    expect(await listBackups(archived.store, signal)).toEqual([backup]);
    const slots = await archived.server.query('SELECT count(*) FROM pg_replication_slots');
    expect(slots).toBe('0');
  });

  it('are complete although the server removes the WAL that was written in the meantime', async () => {
    const { server, store } = archived;
    server.configure({ max_slot_wal_keep_size: '32MB', min_wal_size: '32MB', max_wal_size: '32MB' });
    await server.query('SELECT pg_reload_conf()');
    const slow: ArchiveStore = {
      ...store,
      put: async (name, content, options) => {
        if (!name.endsWith('.tar.gz') || name.startsWith('wal/')) return store.put(name, content, options);
        await once(content, 'readable');
        for (let count = 0; count < 6; count++) await archived.archiveAll();
        await server.query('CHECKPOINT');
        return store.put(name, content, options);
      },
    };
    const { beginWAL } = await archived.backup('slow', { store: slow });
    const oldest = await server.query("SELECT min(name) FROM pg_ls_waldir() WHERE name ~ '^[0-9A-F]{24}$'");
    expect(oldest > beginWAL).toBe(true);
    expect(await drill(archived, 'SELECT 1 FROM orders WHERE id = 1000')).toMatchObject({ succeeded: true });
  });

  it('leave nothing in the archive if the server is down', async () => {
    const stopped = new TestServer('/nowhere', archived.programs, archived.folder.make('no-sockets'));
    await expect(archived.backup('failed', { from: stopped })).rejects.toThrow('psql failed with exit code 2');
    expect(await listBackups(archived.store, signal)).toHaveLength(2);
  });

  it('are tested by a drill that restores and queries them', async () => {
    const { server } = archived;
    await server.query('INSERT INTO orders VALUES (1001)');
    await archived.archiveAll();
    const backup = (await listBackups(archived.store, signal)).at(-1);
    const proven = await drill(archived, 'SELECT 1 FROM orders WHERE id = 1001');
    expect(proven).toMatchObject({ succeeded: true, backup: backup?.id });
    expect(proven.durationSeconds).toSatisfy(Number.isInteger);
    expect(await drill(archived, 'SELECT 1 FROM orders WHERE id > 1001')).toMatchObject({
      succeeded: false,
      message: 'the query returned no row',
    });
    expect(await drill(archived, 'SELECT * FROM missing')).toMatchObject({
      succeeded: false,
      message: expect.stringContaining('relation "missing" does not exist'),
    });
  });

  it('can be restored after a setting of the server was raised', async () => {
    const { server } = archived;
    server.configure({ max_connections: '150' });
    await server.stop();
    await server.start();
    await server.query('INSERT INTO orders VALUES (1002)');
    await archived.archiveAll();
    expect(await drill(archived, 'SELECT 1 FROM orders WHERE id = 1002')).toMatchObject({ succeeded: true });
  });

  it('are reported as damaged by the verification and by a drill', async () => {
    const backup = (await listBackups(archived.store, signal)).at(-1);
    const path = file(backupFiles(backup?.id ?? '').data);
    const content = readFileSync(path);
    const damaged = Buffer.from(content);
    const middle = Math.floor(damaged.length / 2);
    damaged[middle] = (damaged[middle] ?? 0) ^ 0xff;
    for (const bytes of [damaged, content.subarray(0, -1000)]) {
      writeFileSync(path, bytes);
      await expect(verifyBackup(archived.store, backup?.id ?? '', signal)).rejects.toMatchObject({
        reason: 'Corrupted',
      });
      expect(await drill(archived, 'SELECT 1')).toMatchObject({
        succeeded: false,
        message: expect.stringContaining('is damaged'),
      });
    }
    writeFileSync(path, content);
    expect(await verifyBackup(archived.store, backup?.id ?? '', signal)).toMatchObject({ wal: [{ timeline: 1 }] });
  });

  it('can be taken from a replica, and restored after older backups and their WAL were deleted', async () => {
    const { server, folder, programs } = archived;
    const replica = new TestServer(folder.make('replica'), programs, folder.make('replica-sockets'));
    replica.clone(server);
    replica.configure({ archive_mode: 'always' });
    await using _ = await replica.start();
    const { beginWAL } = await archived.backup('from-replica', { from: replica });
    const old = await applyRetention(archived.store, { keep: 1, now: new Date(), signal });
    expect(old.backups.length).toBeGreaterThan(0);
    const backups = await listBackups(archived.store, signal);
    expect(backups.map(({ name }) => name)).toEqual(['from-replica']);
    for (const name of old.wal) expect(name < `wal/${beginWAL.slice(0, 16)}/${beginWAL}`).toBe(true);
    expect(await drill(archived, 'SELECT 1 FROM orders WHERE id = 1000')).toMatchObject({ succeeded: true });
  });
});

describe.skipIf(!hasPostgres(18))(
  'incremental backups (needs PostgreSQL 18 in POSTGRES_18_BIN: node scripts/fixtures/postgres.mjs)',
  () => {
    it('are smaller than a full backup, and restored together with the backups that they are based on', async () => {
      await using archived = await ArchivedServer.start({ version: 18, settings: { summarize_wal: 'on' } });
      const { server } = archived;
      await server.query('CREATE TABLE orders AS SELECT generate_series(1, 1000) AS id');
      await expect(archived.backup('too-early', { type: 'incremental' })).rejects.toThrow('take a full backup first');
      const full = await archived.backup('full');
      await server.query('INSERT INTO orders VALUES (1001)');
      const second = await archived.backup('second', { type: 'incremental' });
      await server.query('INSERT INTO orders VALUES (1002)');
      const third = await archived.backup('third', { type: 'incremental' });
      expect([full.parent, second.parent, third.parent]).toEqual([undefined, full.id, second.id]);
      expect(third.sizeBytes).toBeLessThan(full.sizeBytes / 2);
      const found = await drill(archived, 'SELECT 1 FROM orders HAVING count(*) = 1002');
      expect(found).toEqual({ ...found, succeeded: true, backup: third.id });
      expect((await applyRetention(archived.store, { keep: 1, now: new Date(), signal })).backups).toEqual([]);
    });
  },
);

describe.skipIf(!hasPostgres() || !hasS3Server)(
  'an archive in a bucket (needs postgres and versitygw on the PATH: node scripts/fixtures/versitygw.mjs)',
  () => {
    it('stores WAL and backups, which a drill restores', async () => {
      await using s3 = await S3Server.start();
      await using archived = await ArchivedServer.start({
        locationIn(folder) {
          const { accessKeyId, secretAccessKey, ...bucket } = s3.bucket;
          const credentials = folder.make('credentials');
          writeFileSync(join(credentials, 'accessKeyId'), accessKeyId);
          writeFileSync(join(credentials, 'secretAccessKey'), secretAccessKey);
          return { folder: 'prod/shop', s3: { ...bucket, credentials } };
        },
      });
      const { server, store } = archived;
      await server.query('CREATE TABLE orders AS SELECT generate_series(1, 1000) AS id');
      const { id } = await archived.backup('first');
      await server.query('INSERT INTO orders VALUES (1001)');
      await archived.archiveAll();
      const found = await drill(archived, 'SELECT 1 FROM orders WHERE id = 1001');
      expect(found).toEqual({ ...found, succeeded: true, backup: id });
      expect(await verifyBackup(store, id, signal)).toMatchObject({ wal: [{ timeline: 1 }] });
    });
  },
);
