import { PersistentVolumeClaim, Pod } from '@kubewright/apimachinery/core/v1';
import type { KubernetesClient } from '@kubewright/client';
import { applyManifests, EmbeddedCluster } from '@kubewright/controlplane';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type EarlierRelease, earlierRelease, hasCommit } from '../dev/earlier-release.ts';
import { OperatorProcess } from '../dev/operator-process.ts';
import { buildInstanceManager, installKinds, isPostgresInstalled } from '../dev/postgres-operator.ts';
import { connectToPrimary } from '../dev/service-client.ts';
import { ServiceWrites } from '../dev/service-writes.ts';
import { ShopCluster } from '../dev/shop-cluster.ts';
import { PostgresCluster } from './api/v1/postgres-cluster.ts';
import { healthyPhase } from './controllers/cluster-status.ts';
import { primaryAnnotation } from './controllers/observe-cluster.ts';
import { clusterLabel } from './instance/protocol.ts';

/** The operator of 23 November 2026: without poolers, major upgrades and failover quorums. */
const commit = '5f19da5d';
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });
const patience = { timeout: 150_000, interval: 100 };
const namespace = 'default';
const key = { namespace, name: 'shop' };

describe.skipIf(!isPostgresInstalled || !hasCommit(commit))(
  'an upgrade from an earlier release (needs PostgreSQL and the history of the repository)',
  () => {
    let release: EarlierRelease;
    let cluster: EmbeddedCluster;
    let client: KubernetesClient;
    let operator: OperatorProcess;
    beforeAll(async () => {
      buildInstanceManager();
      release = await earlierRelease(commit);
      cluster = await EmbeddedCluster.start({ node: { count: 3, imageFile: release.imageFile } });
      client = cluster.client();
      await applyManifests(client, { files: [...release.crds], fieldManager: 'test' });
      const program = { path: release.operator, [Symbol.dispose]: () => undefined };
      const env = { INSTANCE_IMAGE: 'earlier-instance' };
      operator = await OperatorProcess.start(cluster.kubeconfig ?? '', { program, env });
      await new ShopCluster(client).create({
        instances: 3,
        database: { name: 'shop' },
        replication: { synchronous: 1 },
        updates: 'supervised',
      });
    });
    afterAll(async () => {
      await operator?.[Symbol.asyncDispose]();
      await cluster?.[Symbol.asyncDispose]();
      release?.[Symbol.dispose]();
    });

    const status = async () => (await client.resource(PostgresCluster).get(key)).status ?? {};
    const phase = async () => {
      const { phase: current, readyInstances } = await status();
      return [current, readyInstances];
    };
    const selected = { namespace, labelSelector: `${clusterLabel}=shop` };
    const claims = async () =>
      (await client.resource(PersistentVolumeClaim).list(selected)).items.map(({ metadata }) => metadata.uid);
    const images = async () =>
      (await client.resource(Pod).list(selected)).items.map(({ spec }) => spec?.containers[0]?.image).sort();

    it('keeps the primary of the earlier release running, and then updates it without losing a commit', async () => {
      await expect.poll(phase, patience).toEqual([healthyPhase, 3]);
      const [before, volumes] = [await status(), await claims()];
      const session = await connectToPrimary(client, { ...key, timeoutMs: 30_000 });
      await session.query('CREATE TABLE orders (id int PRIMARY KEY)');
      await using writes = new ServiceWrites(client, { ...key, from: 1 });
      await expect.poll(() => writes.acknowledged.length, patience).toBeGreaterThan(10);

      await operator[Symbol.asyncDispose]();
      await installKinds(client);
      operator = await OperatorProcess.start(cluster.kubeconfig ?? '');
      await expect.poll(async () => (await phase())[0], patience).toBe('Waiting for user action');
      expect(await images()).toEqual(['earlier-instance:15', 'postgres-instance:15', 'postgres-instance:15']);
      // The session is still open, so the primary has not restarted.
      expect((await session.query('SELECT pg_is_in_recovery() AS standby')).rows).toEqual([{ standby: false }]);
      await session.end();
      expect(await status()).toMatchObject({ currentPrimary: before.currentPrimary, timeline: before.timeline });

      const replica = ['shop-1', 'shop-2', 'shop-3'].find((name) => name !== before.currentPrimary);
      const body = { metadata: { annotations: { [primaryAnnotation]: replica } } };
      await client.resource(PostgresCluster).patch(key, { type: 'merge', body });
      await expect.poll(images, patience).toEqual(Array.from({ length: 3 }, () => 'postgres-instance:15'));
      await expect.poll(phase, patience).toEqual([healthyPhase, 3]);
      const written = writes.acknowledged.length;
      await expect.poll(() => writes.acknowledged.length, patience).toBeGreaterThan(written);
      await writes[Symbol.asyncDispose]();

      expect(await status()).toMatchObject({ currentPrimary: replica, systemID: before.systemID });
      expect(await claims()).toEqual(volumes);
      const connection = await connectToPrimary(client, { ...key, timeoutMs: 30_000 });
      const { rows } = await connection.query<{ id: number }>('SELECT id FROM orders');
      await connection.end();
      const stored = new Set(rows.map(({ id }) => id));
      expect(writes.acknowledged.filter((id) => !stored.has(id))).toEqual([]);
    });
  },
);
