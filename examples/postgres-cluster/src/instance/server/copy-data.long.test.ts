import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { hasPostgres } from '../../../dev/archived-server.ts';
import { PostgresFolder, postgresPrograms, TestServer } from '../../../dev/postgres-server.ts';
import { synchronousStandbyNames } from '../settings/settings-file.ts';
import { localStatus } from '../sql/local-status.ts';
import { createReplicationRole } from '../sql/primary-duties.ts';
import { SqlSession } from '../sql/sql-session.ts';
import { createSlot } from '../sql/upstream.ts';
import { cloneFrom } from './copy-data.ts';
import type { ProgramContext } from './run-program.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
const patience = { timeout: 60_000, interval: 50 };

describe.skipIf(!hasPostgres())('a clone of a primary (needs postgres on the PATH)', () => {
  const folder = new PostgresFolder();
  const sockets = folder.make('sockets');
  let programs: ProgramContext;
  let primary: TestServer;
  beforeAll(async () => {
    programs = postgresPrograms(folder) ?? { env: {} };
    primary = new TestServer(folder.make('data'), programs, sockets).initialize({
      fsync: 'off',
      synchronous_standby_names: synchronousStandbyNames({ number: 1, names: ['shop-2'] }),
    });
    await primary.start();
  });
  afterAll(async () => {
    await primary?.[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  it('does not confirm commits while it is being made', async () => {
    await using sql = new SqlSession({ host: sockets, user: 'postgres', database: 'postgres' });
    await createReplicationRole(sql);
    await createSlot(sql, 'shop-2');
    // Enough data for the clone to take a while.
    await sql.query("CREATE TABLE orders AS SELECT g, repeat('x', 1000) FROM generate_series(1, 60000) g");
    const { signal } = new AbortController();
    const connection = `host=${sockets} user=streaming_replica dbname=postgres application_name=shop-2`;
    const options = { path: join(folder.path, 'clone'), slot: 'kubewright_shop_2', context: programs, signal };
    const cloned = cloneFrom(connection, options);
    const streaming = async () => (await sql.query("SELECT FROM pg_stat_replication WHERE state = 'streaming'")).length;
    const copying = async () => {
      const [found] = await sql.query(
        "SELECT pid FROM pg_stat_progress_basebackup WHERE phase = 'streaming database files'",
      );
      return Number(found?.['pid'] ?? 0);
    };
    await expect.poll(copying, { ...patience, interval: 5 }).toBeGreaterThan(0);
    const sender = await copying();
    process.kill(sender, 'SIGSTOP');
    try {
      await expect.poll(streaming, patience).toBe(1);
      expect(await localStatus(sql)).toMatchObject({ replicas: [], isUnconfirmed: true });
    } finally {
      process.kill(sender, 'SIGCONT');
    }
    await cloned;
  });
});
