import { Event } from '@kubewright/apimachinery/events/v1';
import { TestEnvironment } from '@kubewright/controlplane';
import { silentLogger as log, Manager } from '@kubewright/runtime';
import { expect, it } from 'vitest';
import { PostgresCluster } from '../api/v1/postgres-cluster.ts';
import { PostgresDatabase } from '../api/v1/postgres-database.ts';
import { postgresDatabase } from './postgres-database.ts';

const crd = (kind: string) =>
  new URL(`../../config/crd/bases/database.db.example.com_${kind}.yaml`, import.meta.url).pathname;

it('reports why the database of a hibernated cluster cannot be dropped, until reclaimPolicy is Retain', async () => {
  await using environment = await TestEnvironment.start({
    manifests: [crd('postgresclusters'), crd('postgresdatabases')],
  });
  const { client } = environment;
  await using manager = new Manager({ controllers: [postgresDatabase()], client, log, handleSignals: false });
  manager.run().catch(() => undefined); // runs until the test ends
  await manager.started();
  const metadata = { namespace: 'default', name: 'shop' };
  const databases = client.resource(PostgresDatabase);
  await client.resource(PostgresCluster).create(PostgresCluster({ metadata, spec: { storage: {}, hibernated: true } }));
  await databases.create(
    PostgresDatabase({ metadata, spec: { cluster: 'shop', name: 'orders', owner: 'app', reclaimPolicy: 'Delete' } }),
  );
  await expect
    .poll(async () => (await databases.get(metadata)).metadata.finalizers, { timeout: 10_000 })
    .toEqual(['database.db.example.com/database']);
  await databases.delete(metadata);
  const notes = async () => (await client.resource(Event).list({ namespace: 'default' })).items.map(({ note }) => note);
  await expect
    .poll(notes, { timeout: 10_000 })
    .toContain(
      'cannot drop the database "orders" yet: the cluster "shop" is hibernated; to start the cluster, set spec.hibernated to false; to keep the database and delete only the Kubernetes object, set spec.reclaimPolicy to Retain',
    );
  await databases.patch(metadata, { type: 'merge', body: { spec: { reclaimPolicy: 'Retain' } } });
  await expect
    .poll(async () => (await databases.list({ namespace: 'default' })).items, { timeout: 20_000 })
    .toEqual([]);
});
