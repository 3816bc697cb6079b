import { spawn } from 'node:child_process';
import { cpSync, existsSync, readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type BundledProgram, bundledProgram } from '../../dev/bundled-program.ts';

import { isPostgres17Installed } from '../../dev/postgres-17.ts';
import { isPostgresInstalled } from '../../dev/postgres-operator.ts';
import { PostgresFolder, postgresPrograms, TestServer } from '../../dev/postgres-server.ts';
import { UpgradeFolders } from './upgrade-folders.ts';
import type { UpgradeResult } from './upgrade-program.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });
const asUser = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

describe.skipIf(!isPostgresInstalled || !isPostgres17Installed)('upgradeData (needs PostgreSQL 15 and 17)', () => {
  let program: BundledProgram;
  let shared: PostgresFolder;
  let oldFolder: string;
  let newFolder: string;
  let volume: PostgresFolder;
  let data: string;
  let sockets: string;
  let folders: UpgradeFolders;

  beforeAll(async () => {
    program = await bundledProgram("import '#src/instance/main.ts';");
    shared = new PostgresFolder();
    oldFolder = postgresPrograms(shared)?.folder ?? '';
    newFolder = join(shared.path, 'pginstall', 'bin');
    cpSync(dirname(realpathSync(process.env['POSTGRES_17_BIN'] ?? '')), dirname(newFolder), { recursive: true });
    await run('export-programs', { bin: oldFolder, env: { UPGRADE_PROGRAMS: shared.make('exported') } });
  });
  afterAll(() => {
    program?.[Symbol.dispose]();
    shared?.[Symbol.dispose]();
  });
  beforeEach(async () => {
    volume = new PostgresFolder();
    data = volume.make('pgdata');
    sockets = volume.make('s');
    folders = new UpgradeFolders(data);
    await using old = oldServer().initialize();
    await old.start();
    await old.query('CREATE TABLE orders (id serial, item text)');
    await old.query('INSERT INTO orders (item) SELECT g::text FROM generate_series(1, 1000) g');
    await old.query('CREATE ROLE reporter');
    await old.stop();
  });
  afterEach(() => volume?.[Symbol.dispose]());

  const serverOf = (folder: string) => {
    const programs = postgresPrograms(shared);
    if (!programs) throw new Error('PostgreSQL is not installed');
    return new TestServer(data, { ...programs, folder }, sockets);
  };
  const oldServer = () => serverOf(oldFolder);

  /** Runs a step of the upgrade in a separate process, which is killed when `until` returns true. */
  function run(
    step: 'export-programs' | 'upgrade',
    { bin = newFolder, env = {}, until }: { bin?: string; env?: Record<string, string>; until?: () => boolean } = {},
  ): Promise<number | null> {
    const path = `${bin}${delimiter}${process.env['PATH']}`;
    const child = spawn(process.execPath, [program.path, step], {
      ...asUser,
      env: { ...process.env, PATH: path, ...env },
      cwd: '/',
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const timer = setInterval(() => until?.() && child.kill('SIGKILL'), 2);
    return new Promise((resolve) => {
      child.stderr.resume();
      child.once('exit', (code) => {
        clearInterval(timer);
        resolve(code);
      });
    });
  }
  const upgrade = (until?: () => boolean) =>
    run('upgrade', {
      ...(until && { until }),
      env: {
        PGDATA: data,
        PGHOST: sockets,
        UPGRADE_PROGRAMS: join(shared.path, 'exported'),
        UPGRADE_RESULT: join(sockets, 'result.json'),
        UPGRADE: JSON.stringify({ initdb: {}, parameters: {}, host: '' }),
      },
    });
  const result = () => JSON.parse(readFileSync(join(sockets, 'result.json'), 'utf8')) as UpgradeResult;
  const content = async (folder: string) => {
    await using server = serverOf(folder);
    await server.start();
    const found = await server.query(
      "SELECT current_setting('server_version_num')::int / 10000, count(*), nextval('orders_id_seq'), to_regrole('reporter') FROM orders",
    );
    await server.stop();
    return found;
  };
  const upgraded = '17|1000|1001|reporter';
  const unchanged = '15|1000|1001|reporter';

  it('upgrades all data, and does not delete the old data', async () => {
    expect(await upgrade()).toBe(0);
    expect(result()).toMatchObject({ succeeded: true });
    expect(existsSync(folders.kept)).toBe(true);
    // A second run changes nothing.
    expect(await upgrade()).toBe(0);
    expect(await content(newFolder)).toBe(upgraded);
  });

  it('upgrades the data of a server that was killed', async () => {
    await using old = oldServer();
    await old.start();
    await old.query("INSERT INTO orders (item) VALUES ('last')");
    await old.stop('SIGQUIT');
    expect(await upgrade()).toBe(0);
    // After a crash, a sequence skips the values that it had reserved.
    expect(await content(newFolder)).toBe('17|1001|1034|reporter');
  });

  it('leaves the old data unchanged if the new server cannot start with the parameters', async () => {
    writeFileSync(join(volume.path, 'accepted-parameters.json'), JSON.stringify({ vacuum_defer_cleanup_age: '1' }));
    expect(await upgrade()).toBe(3);
    expect(result()).toMatchObject({ message: expect.stringMatching(/unrecognized configuration parameter/) });
    expect(existsSync(folders.prepared)).toBe(false);
    expect(await content(oldFolder)).toBe(unchanged);
  });

  it.each<[string, () => boolean]>([
    ['while it creates the new data', () => existsSync(`${folders.prepared}/PG_VERSION`)],
    ['during the checks', () => existsSync(`${folders.prepared}/pg_upgrade_output.d`)],
    ['while it links files', () => existsSync(`${folders.data}/global/pg_control.old`)],
    ['between the renames', () => existsSync(folders.kept)],
  ])('completes on the next attempt after it was killed %s', async (_, until) => {
    expect(await upgrade(until)).toBe(null);
    expect(await upgrade()).toBe(0);
    expect(await content(newFolder)).toBe(upgraded);
  });

  it.each<[string, () => boolean]>([
    ['during the checks', () => existsSync(`${folders.prepared}/pg_upgrade_output.d`)],
    ['while it links files', () => existsSync(`${folders.data}/global/pg_control.old`)],
    ['between the renames', () => existsSync(folders.kept)],
  ])('can be rolled back to the old version after it was killed %s', async (_, until) => {
    expect(await upgrade(until)).toBe(null);
    // The programs that the killed process had started exit on their own.
    await expect.poll(() => existsSync(join(folders.prepared, 'postmaster.pid')), { timeout: 60_000 }).toBe(false);
    expect(await folders.rollBack(15)).toBe(true);
    expect([existsSync(folders.kept), existsSync(folders.prepared)]).toEqual([false, false]);
    expect(await content(oldFolder)).toBe(unchanged);
  });

  it('cannot be rolled back once a new server may have written to the shared files', async () => {
    expect(await upgrade()).toBe(0);
    await folders.supersede();
    await expect(folders.rollBack(15)).rejects.toThrow(/a server of version 17 has already run/);
    renameSync(join(folders.kept, 'kubewright.superseded'), join(volume.path, 'note'));
    expect(await folders.rollBack(15)).toBe(true);
    expect(await content(oldFolder)).toBe(unchanged);
  });
});
