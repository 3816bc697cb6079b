import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { hasPostgres } from '../../../dev/archived-server.ts';
import { PostgresFolder, postgresPrograms, TestServer } from '../../../dev/postgres-server.ts';
import { SqlSession } from './sql-session.ts';
import { createSlot, historyOf } from './upstream.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

describe.each([
  { version: undefined, needs: 'postgres on the PATH' },
  { version: 18 as const, needs: 'POSTGRES_18_BIN' },
])('createSlot (needs $needs)', ({ version }) => {
  const folder = new PostgresFolder();
  const sockets = folder.make('sockets');
  let server: TestServer | undefined;
  beforeAll(async () => {
    const programs = hasPostgres(version) ? postgresPrograms(folder, version) : undefined;
    if (!programs) return;
    server = new TestServer(folder.make('data'), programs, sockets).initialize({
      fsync: 'off',
      max_slot_wal_keep_size: '1MB',
    });
    await server.start();
  });
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  it('replaces a slot that the server has invalidated, and keeps a valid one', async ({ skip }) => {
    if (!server) skip('this version of PostgreSQL is not installed');
    await using sql = new SqlSession({ host: sockets, user: 'postgres', database: 'postgres' });
    const slots = () =>
      sql.query('SELECT slot_name AS name, wal_status AS status, restart_lsn AS lsn FROM pg_replication_slots');
    await createSlot(sql, 'shop-2');
    const before = await slots();
    await createSlot(sql, 'shop-2');
    expect(await slots()).toEqual(before);
    // Each segment needs a record, because switching an empty segment has no effect.
    for (let segments = 0; segments < 3; segments += 1) {
      await sql.query("SELECT pg_logical_emit_message(false, 'test', 'x')");
      await sql.query('SELECT pg_switch_wal()');
    }
    await sql.query('CHECKPOINT');
    expect(await slots()).toMatchObject([{ status: 'lost' }]);
    await createSlot(sql, 'shop-2');
    expect(await slots()).toMatchObject([{ name: 'kubewright_shop_2', status: 'reserved' }]);
  });
});

describe('historyOf', () => {
  it.runIf(hasPostgres())('reads the forks of a promoted server, and notices a missing file', async () => {
    using folder = new PostgresFolder();
    const [data, sockets] = [folder.make('data'), folder.make('sockets')];
    const programs = postgresPrograms(folder);
    if (!programs) throw new Error('PostgreSQL is not installed');
    await using server = new TestServer(data, programs, sockets).initialize({ fsync: 'off' });
    writeFileSync(join(data, 'standby.signal'), '');
    await server.start();
    await using sql = new SqlSession({ host: sockets, user: 'postgres', database: 'postgres' });
    expect(await historyOf(sql, 1)).toEqual([]);
    await sql.query('SELECT pg_promote()');
    expect(await historyOf(sql, 2)).toEqual([{ timeline: 1, lsn: expect.any(BigInt) }]);
    rmSync(join(data, 'pg_wal', '00000002.history'));
    expect(await historyOf(sql, 2)).toBeUndefined();
  });
});
