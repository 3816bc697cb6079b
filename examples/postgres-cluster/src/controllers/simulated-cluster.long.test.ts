import { Event, PersistentVolumeClaim, Pod, Secret } from '@kubewright/apimachinery/core/v1';
import type { KubernetesClient } from '@kubewright/client';
import { applyManifests, EmbeddedCluster } from '@kubewright/controlplane';
import { silentLogger as log, Manager } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { PostgresCluster } from '../api/v1/postgres-cluster.ts';
import { roleLabel } from '../instance/protocol.ts';
import { healthyPhase } from './cluster-status.ts';
import { forcedPrimaryAnnotation, primaryAnnotation } from './observe-cluster.ts';
import { postgresCluster } from './postgres-cluster.ts';
import { SimulatedInstances } from './testdata/simulated-instances.ts';

// A busy machine needs longer than Vitest's default of one second for a poll.
vi.setConfig({ testTimeout: 60_000 });
const patience = { timeout: 30_000 };
const namespace = 'default';
const key = { namespace, name: 'shop' };
const crd = new URL('../../config/crd/bases/database.db.example.com_postgresclusters.yaml', import.meta.url).pathname;

// The instances are simulated; failover.proof.test.ts runs PostgreSQL.
describe('postgresCluster', () => {
  let cluster: EmbeddedCluster;
  let client: KubernetesClient;
  let manager: Manager;
  let instances: SimulatedInstances;
  beforeAll(async () => {
    cluster = await EmbeddedCluster.start({ node: { driver: 'simulated' } });
    client = cluster.client();
    await applyManifests(client, { files: [crd], fieldManager: 'test' });
    instances = new SimulatedInstances(client, key);
    const controllers = [postgresCluster({ image: 'postgres-instance', instances })];
    manager = new Manager({ controllers, client, log, handleSignals: false });
    manager.run().catch(() => undefined); // stopped by afterAll
    await manager.started();
  });
  afterAll(async () => {
    await manager?.[Symbol.asyncDispose]();
    await cluster?.[Symbol.asyncDispose]();
  });

  /** Returns the phase, the primary, the number of ready instances, and the status of the Ready condition. */
  const state = async () => {
    const { status } = await client.resource(PostgresCluster).get(key);
    const ready = status?.conditions?.find(({ type }) => type === 'Ready')?.status;
    return [status?.phase, status?.currentPrimary, status?.readyInstances, ready];
  };
  const healthy = (primary: string, ready: number) => [healthyPhase, primary, ready, 'True'];
  /** Returns the role of each pod. */
  const roles = async () => {
    const { items } = await client.resource(Pod).list({ namespace });
    return Object.fromEntries(items.map(({ metadata }) => [metadata.name, metadata.labels?.[roleLabel]]));
  };
  const patch = (spec: object) => client.resource(PostgresCluster).patch(key, { type: 'merge', body: { spec } });
  const reasons = async () => {
    const { items } = await client
      .resource(Event)
      .list({ namespace, fieldSelector: 'involvedObject.kind=PostgresCluster' });
    return items.map(({ reason }) => reason);
  };

  it('creates a primary, then replicas', async () => {
    const spec = { instances: 3, storage: { size: '1Gi' } };
    await client.resource(PostgresCluster).create(PostgresCluster({ metadata: key, spec }));
    await expect.poll(state, patience).toEqual(healthy('shop-1', 3));
    await expect.poll(roles, patience).toEqual({ 'shop-1': 'primary', 'shop-2': 'replica', 'shop-3': 'replica' });
    const { items } = await client
      .resource(Secret)
      .list({ namespace, labelSelector: 'database.db.example.com/cluster' });
    expect(items.map(({ metadata }) => metadata.name)).toEqual([
      'shop-app',
      'shop-ca',
      'shop-operator',
      'shop-replication',
      'shop-server',
    ]);
  });

  it('promotes the replica with the most WAL when the primary dies', async () => {
    instances.server(3).receivedLSN = '0/3000060';
    await instances.kill(1);
    await expect.poll(state, patience).toEqual(healthy('shop-3', 3));
    await expect.poll(roles, patience).toEqual({ 'shop-1': 'replica', 'shop-2': 'replica', 'shop-3': 'primary' });
    await expect.poll(reasons, patience).toContain('FailingOver');
  });

  it('switches over to the requested replica, and removes the request', async () => {
    instances.server(2).receivedLSN = '0/3000060';
    const annotate = { metadata: { annotations: { [primaryAnnotation]: 'shop-2' } } };
    await client.resource(PostgresCluster).patch(key, { type: 'merge', body: annotate });
    await expect.poll(state, patience).toEqual(healthy('shop-2', 3));
    const request = async () =>
      (await client.resource(PostgresCluster).get(key)).metadata.annotations?.[primaryAnnotation];
    await expect.poll(request, patience).toBeUndefined();
    expect(await reasons()).toContain('SwitchingOver');
  });

  it('restarts the replicas, then the former primary after a switchover', async () => {
    for (const number of [1, 2, 3]) instances.server(number).pendingRestart = true;
    instances.server(3).receivedLSN = '0/3000090';
    await patch({ parameters: { max_connections: '120' } });
    await expect.poll(() => instances.restarted, patience).toEqual(['shop-3', 'shop-1', 'shop-2']);
    await expect.poll(state, patience).toEqual(healthy('shop-3', 3));
  });

  it('promotes no replica while commits could be lost, unless the user forces a replica', async () => {
    const clusters = client.resource(PostgresCluster);
    const publish = (failoverQuorums: object | null) =>
      clusters.status.patch(key, { type: 'merge', body: { status: { failoverQuorums } } });
    const force = (name: string) =>
      clusters.patch(key, { type: 'merge', body: { metadata: { annotations: { [forcedPrimaryAnnotation]: name } } } });
    const forced = async () => (await clusters.get(key)).metadata.annotations?.[forcedPrimaryAnnotation];
    // While the primary works, the operator ignores the annotation that forces another primary.
    await force('shop-2');
    await expect.poll(forced, patience).toBeUndefined();
    await expect.poll(reasons, patience).toContain('ForcedPrimaryIgnored');
    expect((await state())[1]).toBe('shop-3');
    await publish([{ standbyNumber: 1, standbyNames: ['shop-1', 'shop-2'] }]);
    await instances.silence(1, 3);
    const why = async () => (await clusters.get(key)).status?.phaseReason;
    await expect
      .poll(why, patience)
      .toMatch(/shop-1 is unavailable and may have commits .* only 1 of shop-1, shop-2 had to confirm/);
    await force('shop-2');
    await expect.poll(async () => (await state())[1], patience).toBe('shop-2');
    await expect.poll(forced, patience).toBeUndefined();
    for (const number of [1, 3]) instances.server(number).isSilent = false;
    await expect.poll(state, patience).toEqual(healthy('shop-2', 3));
    await publish(null);
  });

  it('grows volumes, and keeps the volumes of removed replicas', async () => {
    await patch({ instances: 1, storage: { size: '2Gi' } });
    await expect.poll(state, patience).toEqual(healthy('shop-2', 1));
    await expect.poll(roles, patience).toEqual({ 'shop-2': 'primary' });
    const sizes = async () => {
      const { items } = await client.resource(PersistentVolumeClaim).list({ namespace });
      return items.map(({ metadata, spec }) => `${metadata.name} ${spec?.resources?.requests?.['storage']}`);
    };
    await expect.poll(sizes, patience).toEqual(['shop-1 2Gi', 'shop-2 2Gi', 'shop-3 2Gi']);
    await patch({ instances: 2 });
    await expect.poll(roles, patience).toEqual({ 'shop-2': 'primary', 'shop-4': 'replica' });
  });

  it('changes nothing while the cluster is paused', async () => {
    await patch({ paused: true });
    await expect.poll(async () => (await state())[0], patience).toBe('Paused');
    await instances.kill(2);
    await expect.poll(async () => (await state())[2], patience).toBe(0);
    expect((await client.resource(PostgresCluster).get(key)).status?.targetPrimary).toBe('shop-2');
    await patch({ paused: null });
    await expect.poll(state, patience).toEqual(healthy('shop-4', 2));
  });

  it('deletes the volume of a removed replica once no failover quorum lists the replica', async () => {
    const clusters = client.resource(PostgresCluster);
    const publish = (...names: string[]) => {
      const failoverQuorums = [{ standbyNumber: 1, standbyNames: names }];
      return clusters.status.patch(key, { type: 'merge', body: { status: { failoverQuorums } } });
    };
    await patch({ instances: 3, storage: { deletionPolicy: 'Delete' } });
    await expect.poll(state, patience).toEqual(healthy('shop-4', 3));
    await publish('shop-2', 'shop-5');
    await patch({ instances: 2 });
    await expect.poll(state, patience).toEqual(healthy('shop-4', 2));
    const volume = async () => {
      const { items } = await client.resource(PersistentVolumeClaim).list({ namespace });
      return items.some(({ metadata }) => metadata.name === 'shop-5' && metadata.deletionTimestamp === undefined);
    };
    expect(await volume()).toBe(true);
    await publish('shop-2');
    await expect.poll(volume, patience).toBe(false);
    await patch({ storage: { deletionPolicy: 'Retain' } });
  });

  it('chooses the primary from the volumes of an earlier cluster', async () => {
    const { spec } = await client.resource(PostgresCluster).get(key);
    await client.resource(PostgresCluster).delete(key);
    await expect.poll(async () => (await client.resource(Pod).list({ namespace })).items.length, patience).toBe(0);
    instances.server(2).receivedLSN = '0/9000000';
    await client.resource(PostgresCluster).create(PostgresCluster({ metadata: key, spec }));
    await expect.poll(state, patience).toEqual(healthy('shop-4', 2));
    // The volumes of removed instances are not reused.
    expect(await roles()).toEqual({ 'shop-2': 'replica', 'shop-4': 'primary' });
  });
});
