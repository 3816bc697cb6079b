import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { hasPostgres } from '../../dev/archived-server.ts';
import { PostgresFolder, postgresPrograms, TestServer } from '../../dev/postgres-server.ts';
import { SqlSession } from '../instance/sql/sql-session.ts';
import { applyRole } from './apply-role.ts';
import { isVerifierOf } from './scram-verifier.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

describe.skipIf(!hasPostgres())('applyRole (needs postgres on the PATH)', () => {
  const folder = new PostgresFolder();
  const sockets = folder.make('sockets');
  let server: TestServer;
  beforeAll(async () => {
    server = new TestServer(folder.make('data'), postgresPrograms(folder) ?? { env: {} }, sockets).initialize({
      fsync: 'off',
      log_statement: 'all',
      log_transaction_sample_rate: '1',
    });
    await server.start();
  });
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  const spec = { cluster: 'shop', name: 'reporter', login: true };
  const apply = async (password: string) => {
    await using sql = new SqlSession({ host: sockets, user: 'postgres', database: 'postgres' });
    await applyRole(sql, spec, { password });
  };
  const verifier = () => server.query("SELECT rolpassword FROM pg_authid WHERE rolname = 'reporter'");

  it('sets the password, and keeps it if it is the same', async () => {
    await apply('pencil');
    const first = await verifier();
    expect(isVerifierOf(first, 'pencil')).toBe(true);
    await apply('pencil');
    expect(await verifier()).toBe(first);
    await apply('crayon');
    expect(isVerifierOf(await verifier(), 'crayon')).toBe(true);
  });

  it('sets the password again if the server has an older one', async () => {
    await server.query("ALTER ROLE reporter PASSWORD 'pencil'");
    await apply('crayon');
    expect(isVerifierOf(await verifier(), 'crayon')).toBe(true);
  });

  it('keeps the verifier out of the server log', () => {
    expect(server.output).toContain('SELECT rolpassword');
    expect(server.output).not.toContain('SCRAM-SHA-256$');
  });
});
