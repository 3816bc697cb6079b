import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { hasPostgres, walProgram } from '../../../dev/archived-server.ts';
import { type BundledProgram, bundledProgram } from '../../../dev/bundled-program.ts';
import { PostgresFolder, postgresPrograms, TestServer } from '../../../dev/postgres-server.ts';
import { restoreCommand } from '../../archive/wal-commands.ts';
import { localStatus } from './local-status.ts';
import { SqlSession } from './sql-session.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

describe.skipIf(!hasPostgres())('localStatus of a standby whose archive does not respond (needs PostgreSQL)', () => {
  const folder = new PostgresFolder();
  const sockets = folder.make('sockets');
  const clients = new Set<Socket>();
  let silent: Server;
  let program: BundledProgram;
  let server: TestServer;
  beforeAll(async () => {
    silent = createServer((client) => clients.add(client)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const endpoint = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const control = folder.make('control');
    for (const key of ['accessKeyId', 'secretAccessKey']) writeFileSync(join(control, key), 'test');
    const locationFile = join(control, 'archive.json');
    writeFileSync(
      locationFile,
      JSON.stringify({ folder: 'shop', s3: { endpoint, bucket: 'archive', credentials: control } }),
    );
    program = await bundledProgram(walProgram);
    const programs = postgresPrograms(folder);
    if (!programs) throw new Error('PostgreSQL is not installed');
    const command = [process.execPath, program.path];
    const data = folder.make('data');
    server = new TestServer(data, programs, sockets).initialize({
      fsync: 'off',
      restore_command: restoreCommand({ command, locationFile }, 'standby'),
    });
    writeFileSync(join(data, 'standby.signal'), '');
    await server.start();
  });
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    program?.[Symbol.dispose]();
    for (const client of clients) client.destroy();
    silent?.close();
    folder[Symbol.dispose]();
  });

  it('reports that the standby is at the end of its WAL, so that it can be elected or follow a primary', async () => {
    await using sql = new SqlSession({ host: sockets, user: 'postgres', database: 'postgres' });
    const isAtEnd = async () => (await localStatus(sql)).isAtEnd;
    await expect.poll(isAtEnd, { timeout: 40_000, interval: 50 }).toBe(true);
    // At least one attempt failed before the others were skipped.
    expect(clients.size).toBeGreaterThan(0);
  });
});
