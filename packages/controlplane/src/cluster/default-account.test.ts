import { Pod } from '@kubewright/apimachinery/core/v1';
import { expect, it } from 'vitest';
import { EmbeddedCluster } from './embedded-cluster.ts';

it('a cluster accepts pods as soon as it has started', async () => {
  for (let start = 0; start < 3; start++) {
    await using cluster = await EmbeddedCluster.start();
    const pods = cluster.client().resource(Pod);
    const spec = { containers: [{ name: 'c', image: 'i' }] };
    const pod = await pods.create(Pod({ metadata: { name: 'early', namespace: 'default' }, spec }));
    expect(pod.spec?.serviceAccountName).toBe('default');
  }
});
