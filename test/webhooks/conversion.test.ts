import { CustomResourceDefinition } from '@kubewright/apimachinery/apiextensions/v1';
import { ownAuthority } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, OperatedCluster, operatorNamespace, shop } from './operated-cluster.ts';
import { Shop, ShopBeta, shopConversion, shopDefinition } from './shop.ts';

describe('a converter of an operator, called by the API server', () => {
  let cluster: OperatedCluster;
  beforeAll(async () => {
    cluster = await OperatedCluster.start();
    await cluster.define(shopDefinition());
    const certificates = ownAuthority({
      secret: { namespace: operatorNamespace, name: 'webhook-cert' },
      url: 'https://127.0.0.1',
    });
    const webhookServer = { port: 0, host: '127.0.0.1', certificates };
    await cluster.operate({ webhooks: [shopConversion], webhookServer });
    const definitions = cluster.client.resource(CustomResourceDefinition);
    await eventually('the definition names the webhook', async () => {
      const { spec } = await definitions.get({ name: 'shops.shop.example.com' });
      return spec.conversion?.strategy === 'Webhook';
    });
    await eventually('conversion works', async () => {
      const probe = await cluster.kubectl(['create', '--dry-run=server', '-f', '-'], beta('probe', 'x/1'));
      return probe.code === 0;
    });
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  const beta = (name: string, what: string): object => shop(name, { what }, { apiVersion: 'shop.example.com/v1beta1' });
  const key = (name: string) => ({ namespace: 'default', name });

  it('shows objects created in one version in the other', async () => {
    const labeled = { ...beta('old', 'ann/4'), metadata: { ...key('old'), labels: { street: 'long' } } };
    expect((await cluster.kubectl(['create', '-f', '-'], labeled)).code).toBe(0);
    const hub = await cluster.client.resource(Shop).get(key('old'));
    expect(hub.spec).toEqual({ owner: 'ann', size: 4 });
    expect(hub.metadata.labels).toEqual({ street: 'long' });
    const old = await cluster.client.resource(ShopBeta).get(key('old'));
    expect(old.spec).toEqual({ what: 'ann/4' });
    expect(old.metadata.uid).toBe(hub.metadata.uid);
  });

  it('converts lists, watches and patches', async () => {
    await cluster.client.resource(Shop).create({ ...(shop('new', { owner: 'bob', size: 2 }) as Shop) });
    const list = await cluster.kubectl(['get', 'shops.v1beta1.shop.example.com', '-o', 'json']);
    const specs = JSON.parse(list.stdout).items.map((item: ShopBeta) => item.spec.what);
    expect(specs).toContain('bob/2');
    const watch = cluster.client.resource(ShopBeta).watch({ namespace: 'default', resourceVersion: '0' });
    for await (const event of watch) {
      if (event.type !== 'ADDED' || event.object.metadata.name !== 'new') continue;
      expect(event.object.spec).toEqual({ what: 'bob/2' });
      break;
    }
    const patch = { type: 'merge', body: { spec: { what: 'bob/7' } } } as const;
    await cluster.client.resource(ShopBeta).patch(key('new'), patch);
    expect((await cluster.client.resource(Shop).get(key('new'))).spec).toEqual({ owner: 'bob', size: 7 });
  });

  it('fails a request with the reason', async () => {
    const { code, stderr } = await cluster.kubectl(['create', '-f', '-'], beta('bad', 'nobody'));
    expect(code).toBe(1);
    expect(stderr).toContain('cannot convert Shop default/bad from shop.example.com/v1beta1 to shop.example.com/v1');
    expect(stderr).toContain('"nobody" has no size');
  });
});
