import { VirtualClock } from '@kubewright/apimachinery';
import {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from '@kubewright/apimachinery/admissionregistration/v1';
import { CustomResourceDefinition } from '@kubewright/apimachinery/apiextensions/v1';
import { describe, expect, it } from 'vitest';
import { FakeApiServer, failure } from '../testdata/fake-api-server.ts';
import { type InjectionTargets, injectBundle, type WebhookAddress } from './ca-injection.ts';

const kinds = [MutatingWebhookConfiguration, ValidatingWebhookConfiguration, CustomResourceDefinition];
const service = { namespace: 'shop-system', name: 'webhook-service' };
const caBundle = Buffer.from('PEM').toString('base64');

function setup() {
  const server = new FakeApiServer(kinds, { clock: new VirtualClock() });
  const inject = (address: WebhookAddress, targets: Partial<InjectionTargets>, bundle = async () => 'PEM') =>
    injectBundle({
      client: server.client,
      targets: { mutating: [], validating: [], definitions: [], ...targets },
      address,
      bundle,
      signal: new AbortController().signal,
    });
  return { server, inject };
}

describe('injectBundle', () => {
  it('writes only the entries of this server, and only once', async () => {
    const { server, inject } = setup();
    const theirs = {
      name: 'b',
      clientConfig: { service: { namespace: 'other', name: 'webhook-service' }, caBundle: 'x' },
    };
    server.put(ValidatingWebhookConfiguration, {
      metadata: { name: 'v' },
      webhooks: [{ name: 'a', clientConfig: { service: { ...service, path: '/p' } }, later: true }, theirs],
    });
    const report = await inject({ service }, { validating: ['v'], mutating: ['absent'] });
    expect(report).toEqual({
      changed: ['ValidatingWebhookConfiguration v'],
      missing: ['MutatingWebhookConfiguration absent'],
    });
    expect(server.get(ValidatingWebhookConfiguration, 'v').webhooks).toEqual([
      { name: 'a', clientConfig: { service: { ...service, path: '/p' }, caBundle }, later: true },
      theirs,
    ]);
    expect((await inject({ service }, { validating: ['v'] })).changed).toEqual([]);
  });

  it('replaces services by a URL for development, and follows a new port', async () => {
    const { server, inject } = setup();
    const clientConfig = { service: { ...service, path: '/p' } };
    server.put(MutatingWebhookConfiguration, { metadata: { name: 'm' }, webhooks: [{ name: 'a', clientConfig }] });
    await inject({ url: 'https://127.0.0.1:9443' }, { mutating: ['m'] });
    const written = () => server.get(MutatingWebhookConfiguration, 'm').webhooks[0].clientConfig;
    expect(written()).toEqual({ url: 'https://127.0.0.1:9443/p', caBundle });
    await inject({ url: 'https://127.0.0.1:1234' }, { mutating: ['m'] });
    expect(written()).toEqual({ url: 'https://127.0.0.1:1234/p', caBundle });
  });

  it.each<[string, WebhookAddress, object]>([
    ['a service', { service }, { service: { ...service, path: '/convert' }, caBundle }],
    ['a url', { url: 'https://[::1]:9443' }, { url: 'https://[::1]:9443/convert', caBundle }],
  ])('configures conversion through %s', async (_, address, clientConfig) => {
    const { server, inject } = setup();
    server.put(CustomResourceDefinition, { metadata: { name: 'sites.x' }, spec: { conversion: { strategy: 'None' } } });
    await inject(address, { definitions: ['sites.x'] });
    expect(server.get(CustomResourceDefinition, 'sites.x').spec.conversion).toEqual({
      strategy: 'Webhook',
      webhook: { clientConfig, conversionReviewVersions: ['v1'] },
    });
  });

  it('never replaces a newer bundle with an older one', async () => {
    const { server, inject } = setup();
    const entry = (bundle?: string) => ({ name: 'a', clientConfig: { service, ...(bundle && { caBundle: bundle }) } });
    server.put(ValidatingWebhookConfiguration, { metadata: { name: 'v' }, webhooks: [entry()] });
    const newer = Buffer.from('NEWER').toString('base64');
    let reads = 0;
    // Another replica rotates and injects a newer bundle before this replica injects the bundle that it has read.
    const bundle = async (): Promise<string> => {
      if (++reads > 1) return 'NEWER';
      server.put(ValidatingWebhookConfiguration, { metadata: { name: 'v' }, webhooks: [entry(newer)] });
      return 'OLDER';
    };
    await inject({ service }, { validating: ['v'] }, bundle);
    expect(reads).toBe(2);
    expect(server.get(ValidatingWebhookConfiguration, 'v').webhooks[0].clientConfig.caBundle).toBe(newer);
  });

  it('fails with the API server’s message when it is not authorized', async () => {
    const { server, inject } = setup();
    server.interrupt = () => {
      throw failure(403, 'Forbidden', 'may not');
    };
    await expect(inject({ service }, { validating: ['v'] })).rejects.toThrow('may not');
  });
});
