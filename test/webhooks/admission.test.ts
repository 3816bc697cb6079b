import { ValidatingWebhookConfiguration } from '@kubewright/apimachinery/admissionregistration/v1';
import { ownAuthority, webhookConfigurations } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, OperatedCluster, operatorNamespace, shop } from './operated-cluster.ts';
import { Shop, shopDefaults, shopDefinition, shopRules } from './shop.ts';

const [mutating, validating] = ['shop-mutating', 'shop-validating'];

describe('webhooks of an operator, called by the API server', () => {
  let cluster: OperatedCluster;
  beforeAll(async () => {
    cluster = await OperatedCluster.start();
    await cluster.define(shopDefinition());
    const webhooks = [shopRules, shopDefaults];
    for (const configuration of webhookConfigurations(webhooks, { names: { mutating, validating } }))
      expect((await cluster.kubectl(['create', '-f', '-'], configuration)).stderr).toBe('');
    const certificates = ownAuthority({
      secret: { namespace: operatorNamespace, name: 'webhook-cert' },
      url: 'https://127.0.0.1',
      mutating: [mutating],
      validating: [validating],
    });
    await cluster.operate({ webhooks, webhookServer: { port: 0, host: '127.0.0.1', certificates } });
    // The API server notices the CA bundle a moment after it is written.
    await eventually('webhooks are called', async () => {
      const dryRun = await cluster.kubectl(
        ['create', '--dry-run=server', '-f', '-'],
        shop('probe', { owner: 'x', size: 99 }),
      );
      return dryRun.stderr.includes('must be at most 9');
    });
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  const create = (name: string, spec: object) => cluster.kubectl(['create', '-f', '-'], shop(name, spec));

  it('reject a create with fields and causes', async () => {
    const { code, stderr } = await create('large', { owner: 'ann', size: 10 });
    expect(code).toBe(1);
    expect(stderr).toBe('The Shop "large" is invalid: spec.size: Invalid value: 10: must be at most 9\n');
  });

  it('set defaults on create, including the user’s name, and keep undeclared fields', async () => {
    expect((await create('plain', { owner: 'ann', later: { deep: [1] } })).code).toBe(0);
    const { spec, metadata } = await cluster.client.resource(Shop).get({ namespace: 'default', name: 'plain' });
    expect(spec).toEqual({ owner: 'ann', size: 3, later: { deep: [1] } });
    expect(metadata.annotations?.['by']).toMatch(/admin/);
  });

  it('warn through kubectl', async () => {
    const { code, stderr } = await create('small', { owner: 'ann', size: 1 });
    expect(code).toBe(0);
    expect(stderr).toBe('Warning: a shop this small will not last\n');
  });

  it('compare an update with the stored object, and prevent a deletion', async () => {
    await create('famous', { owner: 'harrod', size: 9 });
    const patch = ['patch', 'shop', 'famous', '--type=merge', '-p', '{"spec":{"owner":"ann"}}'];
    expect(await cluster.kubectl(patch)).toMatchObject({
      code: 1,
      stderr:
        'Error from server (Forbidden): admission webhook "vshop-v1.kb.io" denied the request: the owner cannot be changed\n',
    });
    expect((await cluster.kubectl(['label', 'shop', 'famous', 'street=brompton'])).code).toBe(0);
    const { code, stderr } = await cluster.kubectl(['delete', 'shop', 'famous']);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        'Error from server (Forbidden): admission webhook "vshop-v1.kb.io" denied the request: this one is famous\n',
    });
  });

  it('deny with 500 if the operator’s own function fails', async () => {
    const { code, stderr } = await create('hole', { owner: 'mole' });
    expect(code).toBe(1);
    expect(stderr).toContain('admission webhook "vshop-v1.kb.io" denied the request: panic: moles have no shops');
    expect(cluster.log.join('')).toContain('"msg":"Observed a panic"');
  });

  it('leave no trace after a dry run', async () => {
    const dry = ['create', '--dry-run=server', '-o', 'json', '-f', '-'];
    const { stdout } = await cluster.kubectl(dry, shop('dry', { owner: 'ann' }));
    expect(JSON.parse(stdout).spec.size).toBe(3);
    expect((await cluster.kubectl(['get', 'shop', 'dry'])).stderr).toContain('NotFound');
  });

  it('get their address from the operator alone, with no more rights than documented', async () => {
    const configuration = await cluster.client.resource(ValidatingWebhookConfiguration).get({ name: validating });
    const { clientConfig } = configuration.webhooks?.[0] ?? {};
    expect(clientConfig?.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+\/validate-shop-example-com-v1-shop$/);
    expect(Buffer.from(clientConfig?.caBundle ?? '', 'base64').toString('utf8')).toMatch(/^-----BEGIN CERTIFICATE/);
    expect(
      cluster.log.filter((line) => line.includes('"level":"error"') && !line.includes('Observed a panic')),
    ).toEqual([]);
  });
});
