import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { hasPostgres } from '../../../dev/archived-server.ts';
import { PostgresFolder, postgresPrograms, TestServer } from '../../../dev/postgres-server.ts';
import { type ProgramContext, runProgram } from '../server/run-program.ts';
import { createApplicationDatabase } from './primary-duties.ts';
import { SqlSession } from './sql-session.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

describe.skipIf(!hasPostgres())('createApplicationDatabase (needs postgres on the PATH)', () => {
  const { signal } = new AbortController();
  const folder = new PostgresFolder();
  const sockets = folder.make('sockets');
  let programs: ProgramContext;
  let server: TestServer;
  beforeAll(async () => {
    programs = postgresPrograms(folder) ?? { env: {} };
    server = new TestServer(folder.make('data'), programs, sockets).initialize();
    const rules = ['local all postgres trust', 'local all all scram-sha-256'];
    writeFileSync(join(server.dataDirectory, 'pg_hba.conf'), rules.map((rule) => `${rule}\n`).join(''));
    await server.start();
  });
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  const logIn = async (password: string) => {
    const context = { ...programs, env: { ...programs.env, PGUSER: 'app', PGPASSWORD: password, PGHOST: sockets } };
    const { stdout } = await runProgram('psql', { args: ['-XAtc', 'SELECT current_user', 'shop'], context, signal });
    return stdout.trim();
  };

  it.each([
    ['ASCII characters', 'pencil'],
    ['quotes and backslashes', `it's a \\ "pencil"`],
    ['characters that SASLprep replaces', 'Crayon\u00A0\u2168\u00AD'],
    ['characters that SASLprep prohibits', '\u00AA\u0007'],
  ])('sets a password with %s, and accepts no other password', async (_, password) => {
    await using sql = new SqlSession({ host: sockets, user: 'postgres', database: 'postgres' });
    await createApplicationDatabase(sql, { name: 'shop', owner: 'app', password });
    expect(await logIn(password)).toBe('app');
    await expect(logIn(`${password}x`)).rejects.toThrow('password authentication failed');
  });
});
