import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, systemClock } from '@kubewright/apimachinery';
import { PersistentVolume, PersistentVolumeClaim } from '@kubewright/apimachinery/core/v1';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { OperatedCluster } from '../../dev/operated-cluster.ts';
import { isPostgresInstalled } from '../../dev/postgres-operator.ts';
import { ShopCluster } from '../../dev/shop-cluster.ts';
import { PostgresBackupSchedule } from '../api/v1/postgres-backup-schedule.ts';
import { healthyPhase } from '../controllers/cluster-status.ts';
import { backupFiles } from './archived-backup.ts';

// Starting PostgreSQL several times is slow on a busy machine.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });
const patience = { timeout: 180_000, interval: 100 };
const namespace = 'default';
const nightly = { namespace, name: 'nightly' };

describe.skipIf(!isPostgresInstalled)('the Job of a restore drill (needs the programs of PostgreSQL)', () => {
  /** Offset of the operator's clock. Everything else uses the system's clock. */
  let aheadMs = 0;
  const clock: Clock = {
    now: () => systemClock.now() + aheadMs,
    monotonic: () => systemClock.monotonic(),
    setTimer: (...timer) => systemClock.setTimer(...timer),
  };
  let cluster: OperatedCluster;
  beforeAll(async () => {
    cluster = await OperatedCluster.start({ nodes: 1, clock });
    const shop = new ShopCluster(cluster.client);
    await shop.createWithArchive({ instances: 1 });
    await vi.waitFor(async () => expect(await shop.state()).toEqual([healthyPhase, 1]), patience);
    // A backup every year and a drill every day, both due for the first time in an hour.
    const soon = new Date(clock.now() + 3_600_000);
    const daily = `${soon.getUTCMinutes()} ${soon.getUTCHours()} * * *`;
    const yearly = daily.replace('* *', `${soon.getUTCDate()} ${soon.getUTCMonth() + 1}`);
    const drill = { schedule: daily, query: 'SELECT 1 FROM pg_database' };
    const schedule = { cluster: 'shop', schedule: yearly, drill };
    await cluster.client
      .resource(PostgresBackupSchedule)
      .create(PostgresBackupSchedule({ metadata: nightly, spec: { ...schedule, timeZone: 'UTC', type: 'full' } }));
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());

  const schedules = () => cluster.client.resource(PostgresBackupSchedule);
  /** Sets the operator's clock forward by a day, so that a drill is due, and returns the drill's result. */
  const nextDrill = async () => {
    const before = (await schedules().get(nightly)).status?.lastDrill?.finishedAt;
    aheadMs += 24 * 3_600_000;
    const body = { metadata: { annotations: { day: String(aheadMs) } } };
    await schedules().patch(nightly, { type: 'merge', body });
    const result = async () => (await schedules().get(nightly)).status?.lastDrill;
    await expect.poll(async () => (await result())?.finishedAt ?? before, patience).not.toBe(before);
    return result();
  };
  const condition = async () => {
    const { status } = await schedules().get(nightly);
    const found = status?.conditions?.find(({ type }) => type === 'LastDrillSucceeded');
    return [found?.status, found?.message];
  };

  it('restores the newest backup on a node, and queries it', async () => {
    expect(await nextDrill()).toMatchObject({ succeeded: true, backup: expect.stringMatching(/-nightly-\d+$/) });
    expect(await condition()).toEqual(['True', expect.stringMatching(/^restored \S+-nightly-\d+ in \d+ s$/)]);
  });

  it('detects a damaged base backup', async () => {
    const { spec } = await cluster.client.resource(PersistentVolumeClaim).get({ namespace, name: 'archive' });
    const volume = await cluster.client.resource(PersistentVolume).get({ name: spec?.volumeName ?? '' });
    const folder = join(volume.spec?.local?.path ?? volume.spec?.hostPath?.path ?? '', 'shop');
    const [id = ''] = readdirSync(join(folder, 'base'));
    const path = join(folder, backupFiles(id).data);
    const content = readFileSync(path);
    const middle = Math.floor(content.length / 2);
    content[middle] = (content[middle] ?? 0) ^ 0xff;
    writeFileSync(path, content);
    expect(await nextDrill()).toMatchObject({ succeeded: false, message: expect.stringContaining('is damaged') });
    expect(await condition()).toEqual(['False', expect.stringContaining('is damaged')]);
  });
});
