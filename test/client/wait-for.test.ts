import { ConfigMap } from '@kubewright/apimachinery/core/v1';
import { EmbeddedCluster } from '@kubewright/controlplane';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let cluster: EmbeddedCluster;
beforeAll(async () => {
  cluster = await EmbeddedCluster.start();
});
afterAll(() => cluster?.[Symbol.asyncDispose]());

describe('waiting on a cluster', () => {
  it('sees the creation, a change and the deletion of one object', async () => {
    const maps = cluster.client().resource(ConfigMap);
    const key = { namespace: 'default', name: 'awaited' };
    const created = maps.waitFor(key, () => true);
    await maps.create(ConfigMap({ metadata: { name: 'other', namespace: 'default' }, data: { done: 'yes' } }));
    await maps.create(ConfigMap({ metadata: key }));
    expect((await created).metadata.name).toBe('awaited');
    const changed = maps.waitFor(key, ({ data }) => data?.['done'] === 'yes');
    await maps.patch(key, { type: 'merge', body: { data: { done: 'yes' } } });
    const { uid } = (await changed).metadata;
    const deleted = cluster.client().metadata(ConfigMap).waitForDeletion(key, { uid });
    await maps.delete(key);
    await deleted;
    await maps.waitForDeletion(key);
  });

  it('stops with its signal', async () => {
    const stop = new AbortController();
    const waiting = cluster
      .client()
      .resource(ConfigMap)
      .waitFor({ namespace: 'default', name: 'never' }, () => true, { signal: stop.signal });
    stop.abort(new Error('given up'));
    await expect(waiting).rejects.toThrow('given up');
  });
});
