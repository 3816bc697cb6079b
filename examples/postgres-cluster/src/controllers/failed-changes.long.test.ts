import { forbidden } from '@kubewright/apimachinery';
import { PersistentVolumeClaim } from '@kubewright/apimachinery/core/v1';
import type { ClientCall, KubernetesClient } from '@kubewright/client';
import { applyManifests, EmbeddedCluster } from '@kubewright/controlplane';
import { silentLogger as log, Manager } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { PostgresCluster } from '../api/v1/postgres-cluster.ts';
import { healthyPhase } from './cluster-status.ts';
import { primaryAnnotation } from './observe-cluster.ts';
import { postgresCluster } from './postgres-cluster.ts';
import { SimulatedInstances } from './testdata/simulated-instances.ts';

// A busy machine needs more than a second.
vi.setConfig({ testTimeout: 60_000 });
const patience = { timeout: 30_000 };
const namespace = 'default';
const key = { namespace, name: 'shop' };
const crd = new URL('../../config/crd/bases/database.db.example.com_postgresclusters.yaml', import.meta.url).pathname;

// The instances are simulated; the API server rejects some writes of the operator.
describe('postgresCluster, while changes fail', () => {
  let cluster: EmbeddedCluster;
  let client: KubernetesClient;
  let manager: Manager;
  let instances: SimulatedInstances;
  let isRejected: (call: ClientCall) => boolean = () => false;
  beforeAll(async () => {
    cluster = await EmbeddedCluster.start({ node: { driver: 'simulated' } });
    client = cluster.client();
    await applyManifests(client, { files: [crd], fieldManager: 'test' });
    instances = new SimulatedInstances(client, key);
    const operatorClient = client.intercepted((call, next) => {
      if (isRejected(call)) throw forbidden({ group: '', resource: 'tests' }, 'shop', 'rejected by a quota');
      return next(call);
    });
    const controllers = [postgresCluster({ image: 'postgres-instance', instances })];
    manager = new Manager({ controllers, client: operatorClient, log, handleSignals: false });
    manager.run().catch(() => undefined); // stopped by afterAll
    await manager.started();
  });
  afterAll(async () => {
    await manager?.[Symbol.asyncDispose]();
    await cluster?.[Symbol.asyncDispose]();
  });

  const status = async () => (await client.resource(PostgresCluster).get(key)).status ?? {};
  /** Returns the phase, the primary, the number of instances that work, and whether all changes were applied. */
  const state = async () => {
    const { phase, currentPrimary, readyInstances, conditions } = await status();
    const applied = conditions?.find(({ type }) => type === 'ChangesApplied')?.status;
    return [phase, currentPrimary, readyInstances, applied];
  };
  const message = async () =>
    (await status()).conditions?.find(({ type, status }) => type === 'ChangesApplied' && status === 'False')?.message;
  const patch = (body: object) => client.resource(PostgresCluster).patch(key, { type: 'merge', body });
  const writes =
    (resource: string) =>
    ({ verb, target }: ClientCall): boolean =>
      target?.resource === resource && ['create', 'patch', 'update', 'apply', 'delete'].includes(verb);

  it('reports that no change failed', async () => {
    const spec = { instances: 3, storage: { size: '1Gi' } };
    await client.resource(PostgresCluster).create(PostgresCluster({ metadata: key, spec }));
    await expect.poll(state, patience).toEqual([healthyPhase, 'shop-1', 3, 'True']);
  });

  it('fails over although no volume can grow, and reports that', async () => {
    isRejected = writes('persistentvolumeclaims');
    await patch({ spec: { storage: { size: '2Gi' } } });
    await expect.poll(message, patience).toMatch(/cannot expand the volume of shop-1 to 2Gi: .*rejected by a quota/);
    expect(await message()).toContain('cannot expand the volume of shop-3');
    instances.server(2).receivedLSN = '0/3000060';
    await instances.kill(1);
    await expect.poll(state, patience).toEqual([healthyPhase, 'shop-2', 3, 'False']);
  });

  it('switches over while the objects of the cluster cannot be changed', async () => {
    isRejected = (call) => writes('services')(call) || writes('persistentvolumeclaims')(call);
    instances.server(3).receivedLSN = '0/3000090';
    await patch({ metadata: { annotations: { [primaryAnnotation]: 'shop-3' } } });
    await expect.poll(state, patience).toEqual([healthyPhase, 'shop-3', 3, 'False']);
  });

  it('uses no number for an instance that cannot be created', async () => {
    await patch({ spec: { instances: 4 } });
    await expect.poll(message, patience).toMatch(/cannot create shop-4/);
    await expect.poll(async () => (await status()).lastInstance, patience).toBe(3);
  });

  it('makes the changes once they are possible', async () => {
    isRejected = () => false;
    await expect.poll(state, patience).toEqual([healthyPhase, 'shop-3', 4, 'True']);
    const { items } = await client.resource(PersistentVolumeClaim).list({ namespace });
    expect(items.map(({ metadata, spec }) => `${metadata.name} ${spec?.resources?.requests?.['storage']}`)).toEqual([
      'shop-1 2Gi',
      'shop-2 2Gi',
      'shop-3 2Gi',
      'shop-4 2Gi',
    ]);
  });

  it('tries a requested switchover once, although the request cannot be removed', async () => {
    const request = () => patch({ metadata: { annotations: { [primaryAnnotation]: 'shop-1' } } });
    const attempts = async () => {
      const { switchoverFailure, failedRequest } = await status();
      return [switchoverFailure?.count, failedRequest];
    };
    isRejected = (call) => writes('postgresclusters')(call) && call.target?.subresource === undefined;
    // No replica has the last WAL of the primary, so the primary becomes the primary again.
    instances.server(3).receivedLSN = '0/3000100';
    await request();
    await expect.poll(attempts, patience).toEqual([1, 'shop-1']);
    await expect.poll(state, patience).toEqual([healthyPhase, 'shop-3', 4, 'False']);
    expect(await attempts()).toEqual([1, 'shop-1']);
    isRejected = () => false;
    await expect.poll(state, patience).toEqual([healthyPhase, 'shop-3', 4, 'True']);
    expect(await attempts()).toEqual([1, undefined]);
    // The same request again is a new one.
    await request();
    await expect.poll(attempts, patience).toEqual([2, undefined]);
    const { metadata } = await client.resource(PostgresCluster).get(key);
    expect(metadata.annotations?.[primaryAnnotation]).toBeUndefined();
  });
});
