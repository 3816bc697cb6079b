import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@kubewright/apimachinery';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ArchivedServer, hasPostgres } from '../../dev/archived-server.ts';
import { TestServer } from '../../dev/postgres-server.ts';
import type { RecoveryTarget } from '../api/v1/postgres-cluster.ts';
import { restoreCommand } from '../archive/wal-commands.ts';
import { listBackups } from './archived-backup.ts';
import { backupChain } from './backup-chain.ts';
import { RecoveryServer } from './recovery-server.ts';
import { recoverySettings } from './recovery-settings.ts';
import { restoreBackup } from './restore-backup.ts';
import { hasRecovered } from './unfinished-restore.ts';

// Each restore starts a process for each WAL file, which is slow on a busy machine.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

describe.skipIf(!hasPostgres())('restore (needs postgres on the PATH)', () => {
  const { signal } = new AbortController();
  const points: Record<string, string> = {};
  let archived: ArchivedServer;
  let primary: TestServer;
  let count = 0;

  beforeAll(async () => {
    archived = await ArchivedServer.start({ settings: { track_commit_timestamp: 'on' } });
    primary = archived.server;
    await primary.query('CREATE TABLE orders (id int)');
    await archived.backup('first');
    // Three transactions, with a restore point after each.
    for (const id of [1, 2, 3]) {
      await primary.query(`INSERT INTO orders VALUES (${id})`);
      points[`lsn ${id}`] = await primary.query('SELECT pg_current_wal_lsn()');
      const time = 'pg_xact_commit_timestamp(xmin)::timestamptz AT TIME ZONE $$UTC$$';
      points[`time ${id}`] = `${await primary.query(`SELECT ${time} FROM orders WHERE id = ${id}`)}Z`.replace(' ', 'T');
      await primary.query(`SELECT pg_create_restore_point('after ${id}')`);
    }
    await archived.archiveAll();
  });
  afterAll(() => archived?.[Symbol.asyncDispose]());

  /** Restores the backup for a target into a new data directory, without recovery. */
  const restoredTo = async (target: RecoveryTarget) => {
    const { store, programs, folder } = archived;
    const dataDirectory = join(folder.path, `restored-${++count}`);
    const chain = backupChain(await listBackups(store, signal), { target });
    await restoreBackup({ chain, dataDirectory, store, programs, signal });
    return dataDirectory;
  };
  /** Restores to a target in a new data directory, and returns the IDs of the restored rows. */
  const restored = async (target: RecoveryTarget) => {
    const { programs, folder, wal } = archived;
    const dataDirectory = await restoredTo(target);
    await using server = new TestServer(dataDirectory, programs, folder.make(`sockets-${count}`));
    const command = restoreCommand(wal, 'recovery');
    server.configure({ ...recoverySettings(target, { restoreCommand: command }), archive_mode: 'off' });
    writeFileSync(join(dataDirectory, 'recovery.signal'), '');
    await server.start('SELECT NOT pg_is_in_recovery()');
    await server.query('CREATE TABLE writable ()');
    return await server.query("SELECT string_agg(id::text, ' ' ORDER BY id) FROM orders");
  };

  it('replays all archived WAL if there is no target', async () => {
    expect(await restored({})).toBe('1 2 3');
  });

  it('stops just after a time, or just before it if the target is exclusive', async () => {
    const time = points['time 2'] ?? '';
    expect(await restored({ time })).toBe('1 2');
    expect(await restored({ time, exclusive: true })).toBe('1');
  });

  it('stops between two transactions, at an LSN', async () => {
    const lsn = points['lsn 1'] ?? '';
    expect(await restored({ lsn })).toBe('1');
    expect(await restored({ lsn, exclusive: true })).toBe('1');
  });

  it('reports a target that the archive does not reach', async () => {
    const { programs, wal } = archived;
    const target = { name: 'missing' };
    const dataDirectory = await restoredTo(target);
    const settings = recoverySettings(target, { restoreCommand: restoreCommand(wal, 'recovery') });
    const options = { dataDirectory, settings, isKept: true, programs, clock: systemClock, signal };
    const failure = {
      reason: 'TargetNotReached',
      message: expect.stringContaining('archive ends before the recovery target'),
    };
    await expect(RecoveryServer.recover(options)).rejects.toMatchObject(failure);
    expect(await hasRecovered(dataDirectory)).toBe(false);
    await using server = await RecoveryServer.recover({
      ...options,
      settings: { ...settings, recovery_target_name: 'after 3' },
    });
    expect(await server.query('SELECT count(*) FROM orders', { database: 'postgres' })).toEqual(['3']);
    expect(await hasRecovered(dataDirectory)).toBe(true);
  });

  it('rejects a backup that is larger than the free space, before it downloads it', async () => {
    const { store, programs, folder } = archived;
    const [backup] = await listBackups(store, signal);
    const chain = backup ? [{ ...backup, sizeBytes: 2 ** 60 }] : [];
    const dataDirectory = join(folder.path, 'too-small');
    await expect(restoreBackup({ chain, dataDirectory, store, programs, signal })).rejects.toMatchObject({
      reason: 'NoSpace',
      message: expect.stringMatching(
        /^the volume is too small to restore the backup .*; set a larger spec.storage.size/,
      ),
    });
  });

  it('stops at a named restore point', async () => {
    expect(await restored({ name: 'after 2' })).toBe('1 2');
  });

  it('stops as soon as the backup is consistent', async () => {
    expect(await restored({ immediate: true })).toBe('');
  });
});
