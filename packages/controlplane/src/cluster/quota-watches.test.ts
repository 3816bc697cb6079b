import { ConfigMap, ResourceQuota } from '@kubewright/apimachinery/core/v1';
import { describe, expect, it } from 'vitest';
import { EmbeddedCluster } from './embedded-cluster.ts';

const namespace = 'default';

describe('the quota controller', () => {
  it('follows a resource only while a quota counts it', async () => {
    await using cluster = await EmbeddedCluster.start({ components: ['apiserver', 'resourcequota-controller'] });
    const client = cluster.client();
    const watches = async (): Promise<number> => {
      const { body } = await client.stream({ method: 'GET', path: '/metrics' });
      let text = '';
      for await (const chunk of body) text += Buffer.from(chunk).toString();
      const [, count = '0'] =
        /^apiserver_longrunning_requests\{[^}]*resource="configmaps"[^}]*\} (\d+)$/m.exec(text) ?? [];
      return Number(count);
    };
    const used = async (): Promise<string | undefined> =>
      (await client.resource(ResourceQuota).get({ namespace, name: 'q' })).status?.used?.['count/configmaps'];
    const before = await watches();
    const spec = { hard: { 'count/configmaps': '5' } };
    await client.resource(ResourceQuota).create(ResourceQuota({ metadata: { name: 'q', namespace }, spec }));
    await expect.poll(used, { timeout: 30_000 }).toBe('0');
    await client.resource(ConfigMap).create(ConfigMap({ metadata: { name: 'a', namespace } }));
    await expect.poll(used, { timeout: 30_000 }).toBe('1');
    await expect.poll(watches, { timeout: 30_000 }).toBe(before + 1);
    await client.resource(ResourceQuota).delete({ namespace, name: 'q' });
    await expect.poll(watches, { timeout: 30_000 }).toBe(before);
  });
});
