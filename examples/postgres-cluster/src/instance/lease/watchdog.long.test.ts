import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { InstanceCluster, programFolder, quickLease, type RunningInstance } from '../../../dev/instance-cluster.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
const patience = { timeout: 60_000, interval: 50 };

// The instance managers run outside pods: no kubelet checks whether they respond.
describe.skipIf(programFolder === undefined)('Watchdog (needs the programs of PostgreSQL)', () => {
  let cluster: InstanceCluster;
  let primary: RunningInstance;
  beforeAll(async () => {
    cluster = await InstanceCluster.start({ instances: 1 });
    await cluster.setTarget('shop-1');
    primary = await cluster.add('shop-1');
    await vi.waitFor(() => primary.query('SELECT 1'), patience);
  });
  afterAll(async () => {
    primary?.signal('SIGCONT');
    await cluster?.[Symbol.asyncDispose]();
  });

  it('kills the server of a manager that hangs, before another instance can acquire the Lease', async ({
    annotate,
  }) => {
    const before = await cluster.lease();
    primary.signal('SIGSTOP');
    const stoppedMs = performance.now();
    await expect.poll(() => primary.serverProcesses(), patience).toEqual([]);
    const ms = Math.round(performance.now() - stoppedMs);
    await annotate(`SIGSTOP of the instance manager to the end of its server: ${ms} ms`);
    expect(ms).toBeLessThan(quickLease.durationSeconds * 1000);
    expect((await cluster.lease()).holderIdentity).toBe(before.holderIdentity);
  });

  it('does not prevent the manager from starting the server again, once it responds', async () => {
    primary.signal('SIGCONT');
    await expect.poll(() => primary.query('SELECT 1 AS one').catch(() => undefined), patience).toEqual([{ one: 1 }]);
    await expect.poll(async () => (await primary.report())?.isReady, patience).toBe(true);
  });

  it('ends with its manager, and does not kill the server of the next one', async () => {
    primary.signal('SIGKILL');
    await primary.exited();
    await expect.poll(() => primary.serverProcesses(), patience).toEqual([]);
    primary = await cluster.add('shop-1');
    const started = () => primary.query('SELECT pg_postmaster_start_time() AS started').catch(() => undefined);
    await expect.poll(started, patience).toBeDefined();
    const before = await started();
    const since = performance.now();
    await expect
      .poll(() => performance.now() - since, patience)
      .toBeGreaterThan(quickLease.durationSeconds * 1000 + 1_000);
    expect(await started()).toEqual(before);
  });

  it('does not kill a server whose manager renews the Lease, or a standby', async () => {
    const [postmaster] = await primary.query('SELECT pg_postmaster_start_time() AS started');
    const replica = await cluster.add('shop-2');
    await expect.poll(async () => (await replica.report())?.isReceiving, patience).toBe(true);
    replica.signal('SIGSTOP');
    const since = performance.now();
    await expect
      .poll(() => performance.now() - since, patience)
      .toBeGreaterThan(quickLease.durationSeconds * 1000 + 1_000);
    expect(await replica.serverProcesses()).not.toEqual([]);
    expect(await primary.query('SELECT pg_postmaster_start_time() AS started')).toEqual([postmaster]);
    replica.signal('SIGCONT');
  });
});
