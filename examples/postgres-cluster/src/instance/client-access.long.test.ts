import { chmodSync, statSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { InstanceCluster, programFolder, type RunningInstance } from '../../dev/instance-cluster.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });
const patience = { timeout: 60_000, interval: 50 };

describe.skipIf(programFolder === undefined)('client access (needs the programs of PostgreSQL)', () => {
  let cluster: InstanceCluster;
  let instances: RunningInstance[] = [];
  let primary: RunningInstance;
  beforeAll(async () => {
    cluster = await InstanceCluster.start({
      hba: ['hostssl app app all scram-sha-256', 'hostnossl app app all reject'],
    });
    await cluster.setTarget('shop-1');
    primary = await cluster.add('shop-1');
    await vi.waitFor(async () => expect(await cluster.status()).toMatchObject({ currentPrimary: 'shop-1' }), patience);
    instances = [primary, await cluster.add('shop-2')];
    for (const instance of instances)
      await vi.waitFor(async () => expect(await instance.report()).toMatchObject({ isReady: true }), patience);
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());

  const ssl = { rejectUnauthorized: false };
  /** Logs in, and returns the name of the user, or the error message if the login fails. */
  const logIn = async (instance: RunningInstance, as: { user?: string; password?: string; ssl?: typeof ssl }) => {
    try {
      const [row] = await instance.query('SELECT current_user AS name', { as });
      return row?.['name'];
    } catch (error) {
      return (error as Error).message;
    }
  };
  const logInToAll = (as: Parameters<typeof logIn>[1]) => Promise.all(instances.map((each) => logIn(each, as)));
  const errors = () => Promise.all(instances.map(async (each) => (await each.report())?.settingsError));
  const startedAt = async (instance: RunningInstance) => {
    const [row] = await instance.query('SELECT pg_postmaster_start_time()::text AS at', { as: { ssl } });
    return row?.['at'];
  };

  it('applies the lines of a new cluster on all instances', async () => {
    await expect.poll(() => logInToAll({ ssl }), patience).toEqual(['app', 'app']);
    const rejected = expect.stringContaining('pg_hba.conf rejects connection');
    expect(await logInToAll({})).toEqual([rejected, rejected]);
  });

  it('applies changed lines with a reload, without a restart', async () => {
    const before = await Promise.all(instances.map(startedAt));
    await cluster.setSpec({ hba: ['hostnossl postgres app all reject'] });
    await expect.poll(() => logInToAll({}), patience).toEqual(['app', 'app']);
    expect(await Promise.all(instances.map(startedAt))).toEqual(before);
  });

  it('reports an invalid line, also after a restart, and keeps the earlier lines', async () => {
    await cluster.setSpec({ hba: ['hostnossl app app all reject', 'host all all all scam'] });
    const why = 'hba[1]: invalid authentication method "scam"';
    await expect.poll(errors, patience).toEqual([why, why]);
    expect(await logInToAll({})).toEqual(['app', 'app']);
    const before = await startedAt(primary);
    expect((await primary.request('POST', '/v1/restart')).code).toBe(202);
    await expect.poll(() => startedAt(primary).catch(() => before), patience).not.toBe(before);
    expect(await errors()).toEqual([why, why]);
  });

  it('restores the mode of a data directory that fsGroup has opened to a group', async () => {
    const { dataDirectory } = primary.environment;
    chmodSync(dataDirectory, 0o2770);
    const before = await startedAt(primary);
    // The restart of the previous test may not be over yet.
    await expect.poll(async () => (await primary.request('POST', '/v1/restart')).code, patience).toBe(202);
    await expect.poll(() => startedAt(primary).catch(() => before), patience).not.toBe(before);
    expect(statSync(dataDirectory).mode & 0o7777).toBe(0o700);
  });

  it('rejects all clients on a new instance until the lines are valid', async () => {
    const added = await cluster.add('shop-3');
    instances.push(added);
    await expect.poll(async () => (await added.report())?.settingsError, patience).toContain('"scam"');
    expect(await logIn(added, { ssl })).toContain('pg_hba.conf rejects connection');
    await cluster.setSpec({ hba: [] });
    await expect.poll(() => logInToAll({}), patience).toEqual(['app', 'app', 'app']);
    expect(await errors()).toEqual([undefined, undefined, undefined]);
  });

  it('lets clients connect as the superuser only with the password in the Secret', async () => {
    const superuser = (password: string) => logInToAll({ user: 'postgres', password, ssl });
    const [allowed, wrong, rejected] = [
      'postgres',
      expect.stringContaining('password authentication failed'),
      expect.stringContaining('pg_hba.conf rejects connection'),
    ].map((one) => [one, one, one]);
    expect(await superuser('pencil')).toEqual(rejected);
    await cluster.setSpec({ superuserAccess: true });
    await expect.poll(() => superuser('pencil'), patience).toEqual(wrong);
    cluster.writePassword('shop-1', 'superuser', 'pencil');
    await expect.poll(() => superuser('pencil'), patience).toEqual(allowed);
    cluster.writePassword('shop-1', 'superuser', 'crayon');
    await expect.poll(() => superuser('crayon'), patience).toEqual(allowed);
    expect(await superuser('pencil')).toEqual(wrong);
    await cluster.setSpec({ superuserAccess: false });
    await expect.poll(() => superuser('crayon'), patience).toEqual(rejected);
    const socket = { host: primary.environment.socketDirectory, user: 'postgres' };
    const stored = () => primary.query("SELECT rolpassword FROM pg_authid WHERE rolname = 'postgres'", { as: socket });
    await expect.poll(stored, patience).toEqual([{ rolpassword: null }]);
    cluster.writePassword('shop-1', 'superuser', '');
    await cluster.setSpec({ superuserAccess: true });
    await expect.poll(() => superuser('crayon'), patience).toEqual(wrong);
  });

  it('changes the password of the application with its Secret', async () => {
    const application = (password: string) => logInToAll({ password, ssl });
    cluster.writePassword('shop-1', 'app', 'crayon');
    await expect.poll(() => application('crayon'), patience).toEqual(['app', 'app', 'app']);
    cluster.writePassword('shop-1', 'app', 'secret');
    await expect.poll(() => application('secret'), patience).toEqual(['app', 'app', 'app']);
    expect(await application('crayon')).toContainEqual(expect.stringContaining('password authentication failed'));
  });
});
