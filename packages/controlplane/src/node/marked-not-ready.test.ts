import { sleep, systemClock } from '@kubewright/apimachinery';
import { Pod } from '@kubewright/apimachinery/core/v1';
import { expect, it } from 'vitest';
import { EmbeddedCluster } from '../cluster/embedded-cluster.ts';

it('reports a pod ready again after the control plane marked it not ready', async () => {
  await using cluster = await EmbeddedCluster.start({ node: { driver: 'simulated' } });
  const pods = cluster.client().resource(Pod);
  const key = { namespace: 'default', name: 'p' };
  const readiness = async () => (await pods.get(key)).status?.conditions?.find(({ type }) => type === 'Ready')?.status;
  const untilReady = async (): Promise<void> => {
    while ((await readiness()) !== 'True') await sleep(systemClock, { ms: 20 });
  };
  await pods.create(Pod({ metadata: key, spec: { containers: [{ name: 'c', image: 'busybox' }] } }));
  await untilReady();
  const conditions = [{ type: 'Ready', status: 'False' }];
  await pods.status.patch(key, { type: 'strategic', body: { status: { conditions } } });
  await untilReady();
  expect(await readiness()).toBe('True');
});
