import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Pod } from '@kubewright/apimachinery/core/v1';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { OperatedCluster } from '../../dev/operated-cluster.ts';
import { fileOf, isPostgresInstalled } from '../../dev/postgres-operator.ts';
import { ShopCluster } from '../../dev/shop-cluster.ts';
import { PostgresCluster } from '../api/v1/postgres-cluster.ts';

// Starting PostgreSQL several times is slow on a busy machine.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });
const namespace = 'default';

describe.skipIf(!isPostgresInstalled)('kubectl kubewright pg (needs the programs of PostgreSQL)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pg-plugin-'));
  let cluster: OperatedCluster;

  /** Runs kubectl, which finds the plugin on its PATH. */
  const kubectl = async (...args: readonly string[]) => {
    const PATH = [folder, dirname(process.execPath), process.env['PATH']].join(delimiter);
    const env = { ...process.env, PATH, KUBECONFIG: cluster.kubeconfig };
    const child = spawn('kubectl', args, { env, cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    const outputs = Promise.all([text(child.stdout), text(child.stderr)]);
    const [code] = (await once(child, 'close')) as [number | null];
    const [stdout, stderr] = await outputs;
    return { code, stdout, stderr };
  };
  const pg = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await kubectl('kubewright', 'pg', ...args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return stdout;
  };
  const isReady = async (name: string) => {
    const { status } = await cluster.client.resource(PostgresCluster).get({ namespace, name });
    return status?.conditions?.find(({ type }) => type === 'Ready')?.status;
  };

  beforeAll(async () => {
    // Links the plugin as npm does.
    symlinkSync(fileOf('bin/kubectl-kubewright-pg.js'), join(folder, 'kubectl-kubewright-pg'));
    cluster = await OperatedCluster.start({ nodes: 2 });
    await new ShopCluster(cluster.client).createWithArchive({ instances: 2, database: { name: 'shop' } });
  });
  afterAll(async () => {
    await cluster?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  it('psql runs statements in the application database, on the primary or a replica', async () => {
    await expect.poll(() => isReady('shop'), { timeout: 120_000, interval: 200 }).toBe('True');
    const sql = ['-c', 'CREATE TABLE orders (item text)', '-c', "INSERT INTO orders VALUES ('tea')"];
    expect(await pg('psql', 'shop', '--', ...sql)).toBe('CREATE TABLE\nINSERT 0 1\n');
    const read = () => pg('psql', 'shop', '--replica', '--', '-tAc', 'SELECT item, pg_is_in_recovery() FROM orders');
    await expect.poll(read, { timeout: 10_000 }).toBe('tea|t\n');
  });

  it('backup takes a base backup', async () => {
    // The primary and the replica run on different nodes, and write to the same archive.
    const { items } = await cluster.client.resource(Pod).list({ namespace });
    expect(new Set(items.map(({ spec }) => spec?.nodeName)).size).toBe(2);
    expect(await pg('backup', 'shop', '--name', 'first', '--wait')).toMatch(
      /^created PostgresBackup first\nPostgresBackup first completed: copied \S+ MiB from shop-2, stored as \S+-first\n$/,
    );
  });

  it('status shows the instances, the replication, the archive and the backups', async () => {
    const shown = await pg('status', 'shop');
    expect(shown).toMatch(/^Phase: +Cluster in healthy state$/m);
    expect(shown).toMatch(/^Archive: +working$/m);
    expect(shown).toMatch(/^Last backup: +\S+Z \(\d+s ago\)$/m);
    expect(shown).toMatch(/^shop-1 +primary +yes +1 +0\/\S+ +- +\S+$/m);
    expect(shown).toMatch(/^shop-2 +replica +yes +1 +0\/\S+ +\S+ B +\S+$/m);
    expect(shown).toMatch(/^shop-2 +streaming +async +0\/\S+ +0\/\S+ +0\/\S+ +.* +kubewright_shop_2$/m);
    expect(shown).toMatch(/^first +full +Completed +\d+s +\S+ MiB$/m);
  });

  it('restore creates a cluster with the data up to a restore point', async () => {
    const point = "SELECT pg_create_restore_point('before the mistake')";
    await pg('psql', 'shop', '--', '-c', point, '-c', 'DELETE FROM orders', '-c', 'SELECT pg_switch_wal()');
    const flags = ['--restore-point', 'before the mistake', '--instances', '1', '--wait', '--timeout', '120'];
    expect(await pg('restore', 'shop', 'rescued', ...flags)).toBe(
      'created the cluster rescued; restoring it from the archive of shop\nthe cluster rescued is ready; its primary is rescued-1\n',
    );
    expect(await pg('psql', 'rescued', '--', '-tAc', 'SELECT item FROM orders')).toBe('tea\n');
    expect(await pg('psql', 'shop', '--', '-tAc', 'SELECT count(*) FROM orders')).toBe('0\n');
  });

  it('promote switches over, and rejects an unknown instance', async () => {
    expect(await pg('promote', 'shop', 'shop-2', '--wait')).toBe(
      'requested the promotion of shop-2 to primary of shop\nshop-2 is the primary of shop\n',
    );
    expect(await pg('promote', 'shop', 'shop-2')).toBe('shop-2 is already the primary of shop\n');
    const { code, stderr } = await kubectl('kubewright', 'pg', 'promote', 'shop', 'shop-7');
    expect(code).toBe(1);
    expect(stderr).toContain('error: the cluster shop has no instance shop-7; existing instances: shop-1, shop-2\n');
    await expect.poll(() => isReady('shop'), { timeout: 60_000, interval: 200 }).toBe('True');
  });

  it('fence stops the server of an instance, and fence --off starts it again', async () => {
    expect(await pg('fence', 'shop', 'shop-1')).toBe('fenced shop-1; fenced instances of shop: shop-1\n');
    const status = () => pg('status', 'shop');
    await expect.poll(status, { timeout: 30_000 }).toMatch(/^shop-1 +\S+ +no /m);
    expect(await status()).toMatch(/^Fenced: +shop-1$/m);
    expect(await pg('fence', 'shop', 'shop-1', '--off')).toBe('unfenced shop-1; fenced instances of shop: none\n');
    await expect.poll(status, { timeout: 30_000 }).toMatch(/^shop-1 +replica +yes /m);
  });

  it('logs prefixes each line with its instance', async () => {
    const lines = (await pg('logs', 'shop', '--tail', '5')).trimEnd().split('\n');
    expect(new Set(lines.map((line) => line.slice(0, '[shop-1] '.length)))).toEqual(
      new Set(['[shop-1] ', '[shop-2] ']),
    );
    expect((await pg('logs', 'shop', 'shop-2', '--tail', '1')).trimEnd().split('\n')).toHaveLength(1);
  });

  it('report writes a folder without Secrets', async () => {
    expect(await pg('report', 'shop', '-o', 'for-support')).toBe(
      'wrote for-support: status, objects, events and logs of shop\n',
    );
    const files = readdirSync(join(folder, 'for-support')).sort();
    expect(files).toEqual([
      'backups.json',
      'claims.json',
      'cluster.json',
      'events.json',
      'leases.json',
      'pods.json',
      'schedules.json',
      'shop-1.log',
      'shop-2.log',
      'status.txt',
    ]);
    const content = files.map((file) => readFileSync(join(folder, 'for-support', file), 'utf8')).join('');
    expect(content).not.toMatch(/PRIVATE KEY|"kind": "Secret"/);
  });
});
