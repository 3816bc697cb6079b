import { chmodSync, existsSync, readdirSync, renameSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { InstanceCluster, programFolder, type RunningInstance } from '../../dev/instance-cluster.ts';
import { PostgresFolder } from '../../dev/postgres-server.ts';
import type { PostgresClusterSpec } from '../api/v1/postgres-cluster.ts';
import type { BackupReport } from './protocol.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });
const patience = { timeout: 60_000, interval: 50 };

describe.skipIf(programFolder === undefined)('an instance with an archive (needs the programs of PostgreSQL)', () => {
  const folder = new PostgresFolder();
  const archive = folder.make('archive');
  const backup: PostgresClusterSpec['backup'] = { volume: { claimName: 'archive' } };
  // Archives WAL files soon after a change, even if they are not full.
  const parameters = { archive_timeout: '1s' };
  let cluster: InstanceCluster;
  let primary: RunningInstance;
  beforeAll(async () => {
    cluster = await InstanceCluster.start({ backup, parameters }, { archive });
    await cluster.setTarget('shop-1');
    primary = await cluster.add('shop-1');
    await vi.waitFor(async () => expect(await cluster.status()).toMatchObject({ currentPrimary: 'shop-1' }), patience);
    await primary.query('CREATE TABLE orders (id int PRIMARY KEY)');
  });
  afterAll(async () => {
    await cluster?.[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  const archived = async () => (await primary.report())?.archive;

  it('takes a base backup once, even if the operator requests it twice', async () => {
    await primary.query('INSERT INTO orders VALUES (1)');
    const start = () => primary.request('POST', '/v1/backups?name=first&uid=u-1&type=full');
    expect((await primary.request('GET', '/v1/backups/u-1')).code).toBe(404);
    expect((await start()).code).toBe(202);
    expect((await start()).code).toBe(202);
    const report = async () => JSON.parse((await primary.request('GET', '/v1/backups/u-1')).body) as BackupReport;
    await expect.poll(async () => (await report()).phase, patience).not.toBe('Running');
    const { stoppedAt, ...found } = await report();
    expect(found).toMatchObject({
      phase: 'Completed',
      id: expect.stringMatching(/-first$/),
      firstRecoverabilityPoint: stoppedAt,
    });
    expect((await primary.request('POST', '/v1/backups?name=first&uid=u-1', {})).code).toBe(403);
  });

  it('keeps WAL and reports the reason while the archive is unavailable, then archives the WAL', async () => {
    await expect.poll(async () => (await archived())?.lastArchived !== undefined, patience).toBe(true);
    chmodSync(archive, 0);
    await primary.query('INSERT INTO orders VALUES (2)');
    await expect
      .poll(async () => (await archived())?.message, patience)
      .toMatch(/^cannot archive .*: permission denied/);
    const failed = (await archived())?.lastFailed ?? '';
    chmodSync(archive, 0o700);
    await expect.poll(async () => (await archived())?.message, patience).toBeUndefined();
    expect(((await archived())?.lastArchived ?? '') >= failed).toBe(true);
  });

  it('archives nothing and takes no backup if it runs on a clone of the volumes of another cluster', async () => {
    await primary.query('CREATE TABLE notes (id int)');
    /** Writes WAL, and returns why it could not be archived. */
    const failure = async () => {
      await primary.query('INSERT INTO notes VALUES (1)');
      return (await archived())?.message;
    };
    await cluster.setStatus({ archiveOwner: 'original' });
    await expect
      .poll(async () => [await failure(), existsSync(join(archive, 'shop', 'cluster.json'))], patience)
      .toEqual([undefined, true]);
    await cluster.setStatus({ archiveOwner: 'clone' });
    await expect.poll(failure, patience).toContain('the archive belongs to another cluster with the same database');
    await primary.request('POST', '/v1/backups?name=clone&uid=u-2&type=full');
    const report = async () => JSON.parse((await primary.request('GET', '/v1/backups/u-2')).body) as BackupReport;
    await expect.poll(async () => (await report()).error, patience).toContain('another cluster with the same database');
    await cluster.setStatus({ archiveOwner: 'original' });
    await expect.poll(failure, patience).toBeUndefined();
  });

  it('restores a new cluster, and archives its WAL on a new timeline', async () => {
    const restore = { from: { cluster: 'shop', target: backup } };
    const ownArchive = folder.make('own-archive');
    await using restored = await InstanceCluster.start(
      { backup, parameters, bootstrap: { restore } },
      { archive: ownArchive, recovery: archive },
    );
    await restored.setTarget('shop-1');
    const server = await restored.add('shop-1');
    await expect.poll(() => restored.status(), patience).toMatchObject({ currentPrimary: 'shop-1', timeline: 2 });
    expect(await server.query('SELECT id FROM orders ORDER BY id')).toEqual([{ id: 1 }, { id: 2 }]);
    await server.query('INSERT INTO orders VALUES (3)');
    await expect
      .poll(async () => (await server.report())?.archive?.lastArchived, patience)
      .toMatch(/^00000002[0-9A-F]{16}$/);
  });

  it('resumes recovery after a failure, without restoring the backup again', async () => {
    const restore = { from: { cluster: 'shop', target: backup } };
    const wal = join(archive, 'shop', 'wal');
    const backups = join(archive, 'shop', 'base');
    chmodSync(wal, 0);
    await using restored = await InstanceCluster.start(
      { parameters, bootstrap: { restore } },
      { archive: folder.make('unused-archive'), recovery: archive },
    );
    await restored.setTarget('shop-1');
    const server = await restored.add('shop-1');
    const message = async () => (await server.report())?.message;
    await expect.poll(message, patience).toMatch(/cannot restore .*: permission denied/);
    renameSync(backups, `${backups}.moved`);
    chmodSync(wal, 0o700);
    await expect.poll(() => restored.status(), patience).toMatchObject({ currentPrimary: 'shop-1', timeline: 2 });
    renameSync(`${backups}.moved`, backups);
    expect(await server.query('SELECT id FROM orders WHERE id <= 2 ORDER BY id')).toEqual([{ id: 1 }, { id: 2 }]);
  });

  it('gives up if the archive ends before the recovery target, keeps the data, and continues after a restart', async () => {
    const [row] = await primary.query('SELECT (pg_current_wal_lsn() + 2 * 16777216::numeric)::text AS lsn');
    const restore = { from: { cluster: 'shop', target: backup }, target: { lsn: String(row?.['lsn']) } };
    await using restored = await InstanceCluster.start(
      { parameters, bootstrap: { restore } },
      { archive: folder.make('archive-of-given-up'), recovery: archive },
    );
    await restored.setTarget('shop-1');
    const server = await restored.add('shop-1');
    await expect
      .poll(() => server.report(), { timeout: 120_000, interval: 50 })
      .toMatchObject({
        state: 'failed',
        restoreError: expect.stringMatching(
          /^the archive ends before the recovery target, so the restore has stopped; .* delete the pod shop-1 to resume the restore$/,
        ),
      });
    const volume = dirname(server.environment.dataDirectory);
    const data = readdirSync(volume).find((name) => existsSync(join(volume, name, 'PG_VERSION'))) ?? '';
    const changedMs = () => statSync(join(volume, data, 'global', 'pg_control')).mtimeMs;
    const before = changedMs();
    // The instance retries other failures every second, and renews its Lease as often.
    for (const _ of [1, 2, 3]) {
      const { renewTime } = await restored.lease();
      await expect.poll(async () => (await restored.lease()).renewTime, patience).not.toBe(renewTime);
    }
    expect(changedMs()).toBe(before);
    for (const id of [101, 102, 103]) {
      const { lastArchived } = (await archived()) ?? {};
      await primary.query(`INSERT INTO orders VALUES (${id})`);
      await expect.poll(async () => (await archived())?.lastArchived, patience).not.toBe(lastArchived);
    }
    await server.stop();
    const again = await restored.add('shop-1');
    await expect.poll(() => restored.status(), patience).toMatchObject({ currentPrimary: 'shop-1', timeline: 2 });
    expect(await again.query('SELECT id FROM orders WHERE id <= 2 ORDER BY id')).toEqual([{ id: 1 }, { id: 2 }]);
  });

  it('never writes to the archive that it was restored from', async () => {
    const bootstrap = { restore: { from: { cluster: 'shop', target: backup } } };
    await using restored = await InstanceCluster.start({ parameters, bootstrap }, { archive, recovery: archive });
    await restored.setTarget('shop-1');
    const server = await restored.add('shop-1');
    await expect.poll(() => restored.status(), patience).toMatchObject({ currentPrimary: 'shop-1' });
    await restored.setSpec({ backup });
    await server.query('INSERT INTO orders VALUES (4)');
    await expect
      .poll(async () => (await server.report())?.archive?.message, patience)
      .toContain('the archive belongs to another copy of this database');
  });

  it('creates no new cluster whose archive is not empty', async () => {
    await using second = await InstanceCluster.start({ backup }, { archive });
    await second.setTarget('shop-1');
    const server = await second.add('shop-1');
    await expect
      .poll(async () => (await server.report())?.message, patience)
      .toMatch(/^the archive of a new cluster must be empty, but it contains/);
    expect((await second.status()).currentPrimary).toBeUndefined();
  });
});
