import { type KubernetesObject, type Stored, setControllerReference } from '@kubewright/apimachinery';
import { Lease } from '@kubewright/apimachinery/coordination/v1';
import { ConfigMap, PersistentVolumeClaim, Pod, Secret, Service } from '@kubewright/apimachinery/core/v1';
import { reconcileOnce, TestEnvironment } from '@kubewright/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PostgresCluster } from '../api/v1/postgres-cluster.ts';
import { clusterLabel } from '../instance/protocol.ts';
import type { InstanceClient } from './instance-client.ts';
import { postgresCluster } from './postgres-cluster.ts';

const namespace = 'default';
const manifests = [
  new URL('../../config/crd/bases/database.db.example.com_postgresclusters.yaml', import.meta.url).pathname,
];
const unreachable: InstanceClient = {
  report: () => Promise.reject(new Error('connection refused')),
  restart: () => Promise.reject(new Error('connection refused')),
};
const data = { password: Buffer.from('theirs').toString('base64') };
const claimSpec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
const containers = [{ name: 'web', image: 'nginx' }];
const ports = [{ port: 80 }];

let environment: TestEnvironment;
let otherOwner: Stored<ConfigMap>;
beforeAll(async () => {
  environment = await TestEnvironment.start({ manifests });
  const owner = ConfigMap({ metadata: { namespace, name: 'other-owner' } });
  otherOwner = await environment.client.resource(ConfigMap).create(owner);
});
afterAll(() => environment?.[Symbol.asyncDispose]());

/** Creates a cluster, and returns a function that reconciles it. */
async function createCluster(name: string): Promise<() => Promise<{ condition: unknown; reasons: unknown[] }>> {
  const { client } = environment;
  const spec = { instances: 1, storage: { deletionPolicy: 'Delete' as const } };
  await client.resource(PostgresCluster).create(PostgresCluster({ metadata: { namespace, name }, spec }));
  return async () => {
    const definition = postgresCluster({ image: 'postgres-instance', instances: unreachable });
    const { object, events } = await reconcileOnce(definition, { client, object: { namespace, name } });
    const conditions = (object as PostgresCluster | undefined)?.status?.conditions;
    const condition = conditions?.find(({ type }) => type === 'ObjectsOwned');
    return { condition, reasons: events.map(({ reason }) => reason) };
  };
}

/**
 * Returns the parts of an object that adopting it would change. Leaves out the status, because the scheduler writes the
 * status of pods.
 */
function adoptionFields({ metadata, ...rest }: KubernetesObject & { readonly status?: unknown }): object {
  const { labels, ownerReferences, uid, deletionTimestamp } = metadata;
  return { ...rest, status: undefined, metadata: { labels, ownerReferences, uid, deletionTimestamp } };
}

async function reconcileTwice(reconcile: Awaited<ReturnType<typeof createCluster>>) {
  await reconcile();
  return reconcile();
}

it.each([
  ['application Secret', 'a', Secret, Secret({ metadata: { namespace, name: 'a-app' }, data })],
  ['CA Secret', 'b', Secret, Secret({ metadata: { namespace, name: 'b-ca' }, data })],
  ['Service', 'c', Service, Service({ metadata: { namespace, name: 'c-rw' }, spec: { ports } })],
  ['Lease', 'd', Lease, Lease({ metadata: { namespace, name: 'd-primary' } })],
  [
    'PersistentVolumeClaim',
    'e',
    PersistentVolumeClaim,
    PersistentVolumeClaim({ metadata: { namespace, name: 'e-1' }, spec: claimSpec }),
  ],
  ['Pod', 'f', Pod, Pod({ metadata: { namespace, name: 'f-1' }, spec: { containers } })],
] as const)('reports a foreign %s without changing it, and starts no instance', async (_, cluster, kind, object) => {
  const { client } = environment;
  const resource = client.resource(kind as typeof Secret);
  const before = await resource.create(object as Secret);
  const { condition, reasons } = await reconcileTwice(await createCluster(cluster));
  const what = `${kind.kind} "${before.metadata.name}"`;
  expect(condition).toMatchObject({ status: 'False', reason: 'ForeignObject', message: expect.stringContaining(what) });
  expect(reasons).toContain('ForeignObject');
  expect(adoptionFields(await resource.get(before.metadata))).toEqual(adoptionFields(before));
  const { items } = await client.resource(Pod).list({ namespace, labelSelector: { [clusterLabel]: cluster } });
  expect(items).toEqual([]);
});

it("reports a claim with the cluster's label and another controller, without changing it", async () => {
  const { client } = environment;
  const metadata = { namespace, name: 'g-1', labels: { [clusterLabel]: 'g' } };
  const claims = client.resource(PersistentVolumeClaim);
  const claim = PersistentVolumeClaim({ metadata, spec: claimSpec });
  const before = await claims.create(setControllerReference(claim, otherOwner));
  const { condition } = await reconcileTwice(await createCluster('g'));
  const message = expect.stringContaining('PersistentVolumeClaim "g-1"');
  expect(condition).toMatchObject({ status: 'False', reason: 'ForeignObject', message });
  expect(adoptionFields(await claims.get(metadata))).toEqual(adoptionFields(before));
});

it("reuses a retained volume, and adopts a Secret with the cluster's label and no controller", async () => {
  const { client } = environment;
  const labels = { [clusterLabel]: 'kept' };
  const claim = { metadata: { namespace, name: 'kept-1', labels }, spec: claimSpec };
  const { metadata } = await client.resource(PersistentVolumeClaim).create(PersistentVolumeClaim(claim));
  await client.resource(Secret).create(Secret({ metadata: { namespace, name: 'kept-app', labels }, data }));
  const { condition } = await reconcileTwice(await createCluster('kept'));
  expect(condition).toMatchObject({ status: 'True' });
  const secret = await client.resource(Secret).get({ namespace, name: 'kept-app' });
  expect(secret.data?.['password']).toBe(data.password);
  expect(secret.metadata.ownerReferences).toMatchObject([{ name: 'kept', controller: true }]);
  expect((await client.resource(PersistentVolumeClaim).get({ namespace, name: 'kept-1' })).metadata.uid).toBe(
    metadata.uid,
  );
  expect((await client.resource(Pod).get({ namespace, name: 'kept-1' })).metadata.labels).toMatchObject(labels);
});

it("deletes only the cluster's own volumes with the cluster", async () => {
  const { client } = environment;
  const claims = client.resource(PersistentVolumeClaim);
  const labels = { [clusterLabel]: 'gone' };
  const claim = (name: string) => PersistentVolumeClaim({ metadata: { namespace, name, labels }, spec: claimSpec });
  await claims.create(claim('gone-1'));
  await claims.create(setControllerReference(claim('gone-2'), otherOwner));
  await claims.create(claim('gone-archive'));
  const reconcile = await createCluster('gone');
  await reconcileTwice(reconcile);
  await client.resource(PostgresCluster).delete({ namespace, name: 'gone' });
  await reconcile();
  const { items } = await claims.list({ namespace, labelSelector: labels });
  const kept = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  expect(kept.map(({ metadata }) => metadata.name)).toEqual(['gone-2', 'gone-archive']);
});
