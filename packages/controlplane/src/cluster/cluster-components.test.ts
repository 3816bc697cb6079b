import { Deployment } from '@kubewright/apimachinery/apps/v1';
import { Namespace, Pod } from '@kubewright/apimachinery/core/v1';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EmbeddedCluster } from './embedded-cluster.ts';

const container = { name: 'c', image: 'busybox' };

describe('the API server alone', () => {
  let cluster: EmbeddedCluster;
  beforeAll(async () => {
    cluster = await EmbeddedCluster.start({ components: ['apiserver'], node: { driver: 'simulated' } });
  });
  afterAll(() => cluster.stop());

  it('accepts pods without a service account, and leaves them pending', async () => {
    const pods = cluster.client().resource(Pod);
    const pod = await pods.create(
      Pod({ metadata: { name: 'a', namespace: 'default' }, spec: { containers: [container] } }),
    );
    expect(pod.spec).not.toHaveProperty('serviceAccountName');
    expect(pod.spec).not.toHaveProperty('nodeName');
  });

  it('does not empty namespaces', async () => {
    const namespaces = cluster.client().resource(Namespace);
    await namespaces.create(Namespace({ metadata: { name: 'stays' } }));
    await namespaces.delete({ name: 'stays' });
    expect((await namespaces.get({ name: 'stays' })).spec?.finalizers).toEqual(['kubernetes']);
  });
});

describe('single controllers', () => {
  it('run without the other controllers', async () => {
    await using cluster = await EmbeddedCluster.start({
      components: ['namespace-controller', 'replicaset-controller'],
    });
    const client = cluster.client();
    await client.resource(Namespace).create(Namespace({ metadata: { name: 'goes' } }));
    await client.resource(Namespace).delete({ name: 'goes' });
    const remaining = async () => (await client.resource(Namespace).list()).items.map(({ metadata }) => metadata.name);
    await expect.poll(remaining).not.toContain('goes');
    const labels = { app: 'a' };
    const template = { metadata: { labels }, spec: { containers: [container] } };
    const spec = { selector: { matchLabels: labels }, template };
    const deployment = Deployment({ metadata: { name: 'a', namespace: 'default' }, spec });
    expect((await client.resource(Deployment).create(deployment)).status).toEqual({});
  });

  it('are rejected if they do not exist, without leaving a cluster behind', async () => {
    const starting = EmbeddedCluster.start({ components: ['*', '-deployment'] });
    await expect(starting).rejects.toThrow(
      'invalid list of components "*,-deployment": unknown component deployment; use deployment-controller, or another of',
    );
  });
});
