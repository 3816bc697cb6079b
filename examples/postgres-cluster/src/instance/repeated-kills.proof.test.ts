import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { AcknowledgedWrites } from '../../dev/acknowledged-writes.ts';
import { InstanceCluster, programFolder } from '../../dev/instance-cluster.ts';
import { parseLsn } from '../lsn.ts';

const kills = Number(process.env['POSTGRES_KILLS'] ?? 50);
vi.setConfig({ testTimeout: kills * 60_000, hookTimeout: 180_000 });
const patience = { timeout: 90_000, interval: 20 };
const names = ['shop-1', 'shop-2', 'shop-3'];
const writers = 4;

describe.skipIf(programFolder === undefined).each([
  { title: 'with synchronous replication', synchronous: 1 },
  { title: 'without synchronous replication', synchronous: 0 },
])('repeated kills of the primary under load, $title', ({ synchronous }) => {
  let cluster: InstanceCluster;
  beforeAll(async () => {
    cluster = await InstanceCluster.start({ replication: { synchronous } });
    await cluster.setTarget('shop-1');
    for (const name of names) await cluster.add(name);
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());

  const replicas = async (): Promise<readonly string[]> => {
    const { currentPrimary } = await cluster.status();
    return names.filter((name) => name !== currentPrimary);
  };
  const reports = async () =>
    Promise.all((await replicas()).map(async (name) => await cluster.instance(name).report()));
  const allFollow = async () =>
    expect.poll(async () => (await reports()).map((each) => each?.isReceiving), patience).toEqual([true, true]);

  /** Elects a primary as the operator does: once the Lease is free and no replica receives WAL. */
  const failOver = async (): Promise<string> => {
    await expect.poll(async () => (await cluster.lease()).holderIdentity, patience).toBe('');
    await cluster.setTarget('');
    await expect.poll(async () => (await reports()).map((each) => each?.isReceiving), patience).toEqual([false, false]);
    const { timeline } = await cluster.status();
    const candidates = (await reports()).filter((each) => each?.timeline === timeline);
    const [best] = candidates.sort((a, b) =>
      parseLsn(a?.receivedLSN ?? '0/0') < parseLsn(b?.receivedLSN ?? '0/0') ? 1 : -1,
    );
    await cluster.setTarget(best?.name ?? '');
    await expect.poll(async () => (await cluster.status()).currentPrimary, patience).toBe(best?.name);
    return best?.name ?? '';
  };

  it(`${synchronous > 0 ? 'loses no acknowledged commit' : 'counts the acknowledged commits that are lost'} in ${kills} kills`, async ({
    annotate,
  }) => {
    await expect.poll(() => cluster.status(), patience).toMatchObject({ currentPrimary: 'shop-1' });
    await cluster.instance('shop-1').query('CREATE TABLE orders (id int PRIMARY KEY)');
    await allFollow();
    const lost: number[] = [];
    const outages: number[] = [];
    let acknowledged = 0;
    for (let kill = 0; kill < kills; kill++) {
      const old = (await cluster.status()).currentPrimary ?? '';
      const load = await Promise.all(Array.from({ length: writers }, () => AcknowledgedWrites.start(cluster, old)));
      await expect.poll(() => Math.min(...load.map(({ count }) => count)), patience).toBeGreaterThan(20);
      const killedAt = performance.now();
      cluster.instance(old).killServer();
      const next = await failOver();
      await Promise.all(load.map((each) => each.moveTo(next)));
      await load[0]?.waitForNext();
      outages.push(Math.round(performance.now() - killedAt));
      await allFollow();
      let missing = 0;
      for (const each of load) {
        missing += (await each.missingAt(next)).length;
        acknowledged += each.count;
        await each[Symbol.asyncDispose]();
      }
      lost.push(missing);
    }
    outages.sort((a, b) => a - b);
    const total = lost.reduce((a, b) => a + b, 0);
    await annotate(
      `${kills} kills, ${acknowledged} acknowledged commits, ${total} lost, at most ${Math.max(...lost)} by one kill; ` +
        `outage ${outages[Math.floor(kills / 2)]} ms (median), ${outages.at(-1)} ms (longest)`,
    );
    if (synchronous > 0) expect(total).toBe(0);
  });
});
