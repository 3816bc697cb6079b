import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { InstanceCluster, programFolder, type RunningInstance, user } from '../../dev/instance-cluster.ts';
import { SqlSession } from './sql/sql-session.ts';
import { createSlot } from './sql/upstream.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });
const patience = { timeout: 90_000, interval: 50 };

describe.skipIf(programFolder === undefined)('an instance without replicas (needs the programs of PostgreSQL)', () => {
  let cluster: InstanceCluster;
  let instance: RunningInstance;
  /** A small volume for the data; undefined if the test is not permitted to mount one. */
  let volume: string | undefined;

  const isReady = async () => (await instance.report())?.isReady;

  beforeAll(async () => {
    cluster = await InstanceCluster.start({ instances: 1 });
    const folder = join(cluster.folder, 'shop-1');
    mkdirSync(folder);
    if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=320m', 'none', folder]).status === 0) volume = folder;
    instance = await cluster.add('shop-1');
    await cluster.setTarget('shop-1');
  });
  afterAll(async () => {
    await instance?.stop();
    if (volume !== undefined) spawnSync('umount', [volume]);
    await cluster?.[Symbol.asyncDispose]();
  });

  it('runs as the primary', async () => {
    await expect.poll(isReady, patience).toBe(true);
    await instance.query('CREATE TABLE orders (id int PRIMARY KEY, note text)');
  });

  it('first stops a server that an earlier instance manager left running', async () => {
    instance.signal('SIGKILL');
    await instance.exited();
    await expect.poll(() => instance.serverProcesses(), patience).toEqual([]);
    const { dataDirectory, address } = instance.environment;
    const orphan = spawn(join(programFolder ?? '', 'postgres'), ['-D', dataDirectory], {
      ...user,
      detached: true,
      stdio: 'ignore',
      cwd: '/',
    });
    const ended = new Promise((resolve) => orphan.once('exit', resolve));
    await expect.poll(() => instance.query('SELECT 1 AS one').catch(() => []), patience).toEqual([{ one: 1 }]);
    // The cluster has another primary by now.
    await cluster.setTarget('shop-2');
    instance = await cluster.add('shop-1');
    expect(instance.address).toBe(address);
    await ended;
    await expect.poll(async () => (await instance.report())?.state, patience).toBe('waiting');
    expect(await instance.serverProcesses()).toEqual([]);
    await cluster.setTarget('shop-1');
    await expect.poll(isReady, patience).toBe(true);
  });

  it('keeps a server running that accepts connections but answers no query in time', async () => {
    const { socketDirectory: host } = instance.environment;
    await using sql = new SqlSession({ host, user: 'postgres', database: 'postgres', query_timeout: 60_000 });
    const startTime = async () => (await sql.query('SELECT pg_postmaster_start_time()::text AS time'))[0];
    const before = await startTime();
    await sql.query('BEGIN');
    // The query of the server's state reads this view.
    await sql.query('LOCK TABLE pg_settings IN ACCESS EXCLUSIVE MODE');
    // Longer than the time limit of two state queries, and longer than the Lease's renew deadline.
    await sql.query('SELECT pg_sleep(12)');
    await sql.query('COMMIT');
    expect(await startTime()).toEqual(before);
    await expect.poll(isReady, patience).toBe(true);
  });

  it('kills and restarts a server that does not respond', async () => {
    const before = await instance.serverProcesses();
    for (const pid of before) process.kill(pid, 'SIGSTOP');
    await expect
      .poll(async () => (await instance.serverProcesses()).some((pid) => before.includes(pid)), patience)
      .toBe(false);
    await expect.poll(isReady, patience).toBe(true);
  });

  it('reports a full disk, drops the slots of absent replicas, and recovers once there is space', async ({ skip }) => {
    if (volume === undefined) skip('needs permission to mount a file system');
    // The slot of a replica that is not connected.
    await cluster.setStatus({ instanceStatuses: [{ name: 'shop-2' }] });
    const { socketDirectory: host } = instance.environment;
    await using sql = new SqlSession({ host, user: 'postgres', database: 'postgres' });
    await createSlot(sql, 'shop-2');
    const slots = () => sql.query('SELECT slot_name FROM pg_replication_slots');
    // The slot retains three WAL segments.
    for (const name of ['one', 'two', 'three']) {
      await sql.query(`CREATE TABLE ${name} ()`);
      await sql.query('SELECT pg_switch_wal()');
    }
    const filler = join(volume ?? '', 'filler');
    const { bavail, bsize } = statfsSync(volume ?? '');
    writeFileSync(filler, Buffer.alloc(bavail * bsize - 20 * 1024 * 1024));
    await expect.poll(async () => (await instance.report())?.isDiskFull, patience).toBe(true);
    await expect.poll(slots, patience).toEqual([]);
    await cluster.setStatus({ instanceStatuses: [] });
    // Writes until the disk has no space for more WAL.
    const write = (rows: number) =>
      instance.query(`INSERT INTO orders SELECT -g, repeat('x', 1000) FROM generate_series(1, ${rows}) g`).then(
        () => 'written',
        () => 'failed',
      );
    await expect.poll(() => write(100_000), patience).toBe('failed');
    await expect.poll(async () => (await instance.report())?.isDiskFull, patience).toBe(true);
    rmSync(filler);
    await expect.poll(isReady, patience).toBe(true);
    await expect.poll(async () => (await instance.report())?.isDiskFull, patience).toBe(false);
    // The reports may predate the crash of the server, which could not write WAL. Until it has restarted, a write may
    // still fail.
    await expect.poll(() => write(1), patience).toBe('written');
  });

  it('fails if the data of an initialized cluster is gone', async () => {
    await instance.stop();
    rmSync(instance.environment.dataDirectory, { recursive: true });
    instance = await cluster.add('shop-1');
    await expect
      .poll(() => instance.report(), patience)
      .toMatchObject({
        state: 'failed',
        message: 'the data directory is empty, but the cluster has been initialized before',
      });
  });
});
