import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Lease } from '@kubewright/apimachinery/coordination/v1';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { programFolder, quickLease } from '../dev/instance-cluster.ts';
import { OperatedCluster } from '../dev/operated-cluster.ts';
import { ShopCluster } from '../dev/shop-cluster.ts';
import { PostgresCluster } from './api/v1/postgres-cluster.ts';
import { healthyPhase } from './controllers/cluster-status.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 180_000 });
const patience = { timeout: 120_000, interval: 100 };
const namespace = 'default';

describe.skipIf(programFolder === undefined)(
  'an instance manager that hangs (needs the programs of PostgreSQL)',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'hanging-'));
    let operated: OperatedCluster;
    let shop: ShopCluster;
    beforeAll(async () => {
      chmodSync(folder, 0o777); // the server's user writes to it
      operated = await OperatedCluster.start({ nodes: 2 });
      shop = new ShopCluster(operated.client);
      await shop.create({ instances: 2, database: { name: 'shop' }, lease: quickLease });
    });
    afterAll(async () => {
      await operated?.[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    });

    const exec = async (name: string, script: string) => {
      await using process = await operated.client.pods.exec({ namespace, name }, { command: ['sh', '-c', script] });
      const { exitCode, stdout, stderr } = await process.text();
      expect(exitCode, stderr).toBe(0);
      return stdout.trim();
    };
    const sql = (name: string, statement: string) => exec(name, `psql -XqU postgres -tAc "${statement}" shop`);

    it('loses its server before another instance acquires the Lease', async () => {
      await expect.poll(() => shop.state(), patience).toEqual([healthyPhase, 2]);
      await sql('shop-1', 'CREATE TABLE writes (at timestamptz DEFAULT clock_timestamp())');
      const file = join(folder, 'acknowledged');
      const write = `psql -XqU postgres -tAc 'INSERT INTO writes DEFAULT VALUES RETURNING extract(epoch FROM at)' shop`;
      await exec('shop-1', `(while ${write} >> ${file} 2> /dev/null; do :; done) > /dev/null 2>&1 &`);
      const written = () =>
        readFileSync(file, 'utf8')
          .trim()
          .split('\n')
          .map((seconds) => Number(seconds) * 1000);
      await expect.poll(() => written().length, patience).toBeGreaterThan(3);
      const manager = await exec(
        'shop-1',
        'sed -n "s/^PPid:[^0-9]*//p" /proc/$(head -n 1 "$PGDATA/postmaster.pid")/status',
      );
      expect(readFileSync(`/proc/${manager}/cmdline`, 'utf8')).toContain('node');
      await exec('shop-1', `kill -STOP ${manager}`);
      const stoppedMs = Date.now();
      await expect
        .poll(
          async () => (await operated.client.resource(PostgresCluster).get({ namespace, name: 'shop' })).status,
          patience,
        )
        .toMatchObject({ currentPrimary: 'shop-2' });
      const lease = await operated.client.resource(Lease).get({ namespace, name: 'shop-primary' });
      expect(lease.spec?.holderIdentity).toBe('shop-2');
      const acquiredMs = Date.parse(lease.spec?.acquireTime ?? '');
      const lastMs = written().at(-1) ?? 0;
      // The server runs on without its manager for a while, but never next to another primary.
      const window = { afterTheHangMs: lastMs - stoppedMs, beforeTheNextPrimaryMs: acquiredMs - lastMs };
      expect(window.beforeTheNextPrimaryMs, JSON.stringify(window)).toBeGreaterThan(0);
      expect(window.afterTheHangMs, JSON.stringify(window)).toBeLessThan(quickLease.durationSeconds * 1000);
    });
  },
);
