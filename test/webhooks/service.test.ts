import { ValidatingWebhookConfiguration } from '@kubewright/apimachinery/admissionregistration/v1';
import { Secret, Service } from '@kubewright/apimachinery/core/v1';
import { EndpointSlice } from '@kubewright/apimachinery/discovery/v1';
import { type Manager, ownAuthority, webhookConfigurations } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, OperatedCluster, operatorNamespace, shop } from './operated-cluster.ts';
import { Shop, shopDefinition, shopRules } from './shop.ts';

const service = { namespace: operatorNamespace, name: 'webhook-service' };
const secret = { namespace: operatorNamespace, name: 'webhook-cert' };

// Skipped on the real API server, which would need a Service network on this machine.
describe.skipIf(process.env['USE_EXISTING_CLUSTER'] === 'true')('two replicas behind a Service', () => {
  let cluster: OperatedCluster;
  let replicas: readonly Manager[];
  beforeAll(async () => {
    cluster = await OperatedCluster.start();
    await cluster.define(shopDefinition());
    const names = { validating: 'shop-validating' };
    for (const configuration of webhookConfigurations([shopRules], { names, service }))
      await cluster.client
        .resource(ValidatingWebhookConfiguration)
        .create(configuration as ValidatingWebhookConfiguration);
    await cluster.client.resource(Service).create(
      Service({
        metadata: service,
        spec: { ports: [{ port: 443, targetPort: 9443 }] },
      }),
    );
    const certificates = ownAuthority({ secret, service, validating: [names.validating], intervalMs: 200 });
    const webhookServer = { port: 0, host: '127.0.0.1', certificates };
    const options = { webhooks: [shopRules], webhookServer };
    // Starts both replicas at the same time: neither finds the Secret, and one of them creates it.
    replicas = await Promise.all([cluster.operate(options), cluster.operate(options)]);
    for (const [i, replica] of replicas.entries())
      await cluster.client.resource(EndpointSlice).create(slice(i, replica));
    await eventually('the webhook is called', isRefused);
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  function slice(index: number, replica: Manager): EndpointSlice {
    return EndpointSlice({
      metadata: {
        ...service,
        name: `replica-${index}`,
        labels: { 'kubernetes.io/service-name': service.name },
      },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['127.0.0.1'], conditions: { ready: true } }],
      ports: [{ port: replica.ports.webhook ?? 0, protocol: 'TCP' }],
    });
  }

  async function isRefused(): Promise<boolean> {
    const large = shop('large', { owner: 'x', size: 99 }) as Shop;
    const outcome = await cluster.client
      .resource(Shop)
      .create(large, { dryRun: true })
      .catch((error: unknown) => String(error));
    return typeof outcome === 'string' && outcome.includes('must be at most 9');
  }

  it('serve one certificate, for the name of the Service', async () => {
    for (let call = 0; call < 6; call++) expect(await isRefused()).toBe(true);
    const secrets = await cluster.client.resource(Secret).list({ namespace: operatorNamespace });
    expect(secrets.items.filter(({ metadata }) => metadata.name === secret.name)).toHaveLength(1);
    const configuration = await cluster.client
      .resource(ValidatingWebhookConfiguration)
      .get({ name: 'shop-validating' });
    expect(configuration.webhooks?.[0]?.clientConfig.service).toMatchObject({ ...service, port: 443 });
  });

  it('switch to a new CA together after the Secret is deleted', async () => {
    const caBundle = async (): Promise<string | undefined> => {
      const found = await cluster.client.resource(ValidatingWebhookConfiguration).get({ name: 'shop-validating' });
      return found.webhooks?.[0]?.clientConfig.caBundle;
    };
    const before = await caBundle();
    await cluster.client.resource(Secret).delete(secret);
    await eventually('the authority is another', async () => (await caBundle()) !== before);
    let inRow = 0;
    await eventually('both replicas are trusted', async () => {
      inRow = (await isRefused()) ? inRow + 1 : 0;
      return inRow >= 6;
    });
  });

  it('keep serving when one of them stops', async () => {
    await cluster.client.resource(EndpointSlice).delete({ namespace: operatorNamespace, name: 'replica-0' });
    await replicas[0]?.[Symbol.asyncDispose]();
    for (let call = 0; call < 4; call++) expect(await isRefused()).toBe(true);
  });
});
