import { VirtualClock } from '@kubewright/apimachinery';
import { silentLogger } from '@kubewright/runtime';
import { TestEnvironment } from '@kubewright/testing';
import { expect, it } from 'vitest';
import { PostgresCluster } from '../../api/v1/postgres-cluster.ts';
import { ClusterAccess } from './cluster-access.ts';

const namespace = 'default';
const manifests = [
  new URL('../../../config/crd/bases/database.db.example.com_postgresclusters.yaml', import.meta.url).pathname,
];

it('wasReadWithin returns false once the last read is older than the given time', async () => {
  await using environment = await TestEnvironment.start({ manifests });
  const { client } = environment;
  await client
    .resource(PostgresCluster)
    .create(PostgresCluster({ metadata: { namespace, name: 'shop' }, spec: { storage: {} } }));
  const clock = new VirtualClock();
  const stopping = new AbortController();
  const access = new ClusterAccess({
    client,
    namespace,
    cluster: 'shop',
    lease: 'shop',
    clock,
    log: silentLogger,
    onChange: () => undefined,
    onLease: () => undefined,
  });
  expect(access.wasReadWithin(20_000)).toBe(false);
  const running = access.run(stopping.signal);
  await expect.poll(() => access.wasReadWithin(20_000), { timeout: 30_000 }).toBe(true);
  // From now on, nothing is read, as if the API server were unreachable.
  stopping.abort();
  await running;
  await clock.advance(20_000);
  expect(access.wasReadWithin(20_000)).toBe(true);
  await clock.advance(1);
  expect(access.wasReadWithin(20_000)).toBe(false);
});
