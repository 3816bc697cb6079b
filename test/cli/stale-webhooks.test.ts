import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock as clock, systemRandom as random, type UnstructuredObject } from '@kubewright/apimachinery';
import { ValidatingWebhookConfiguration } from '@kubewright/apimachinery/admissionregistration/v1';
import { EmbeddedCluster } from '@kubewright/controlplane';
import { silentLogger as log } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { removeStaleWebhooks } from '../../packages/cli/src/deploy/stale-webhooks.ts';

const directory = mkdtempSync(join(tmpdir(), 'kw-stale-'));
let cluster: EmbeddedCluster;
beforeAll(async () => {
  cluster = await EmbeddedCluster.start({ directory, clock, random, log });
});
afterAll(async () => {
  await cluster[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true, force: true });
});

describe('removeStaleWebhooks', () => {
  const asking = (name: string, namespace: string): ValidatingWebhookConfiguration =>
    ValidatingWebhookConfiguration({
      metadata: { name },
      webhooks: [
        {
          name: 'vshop-v1.kb.io',
          admissionReviewVersions: ['v1'],
          sideEffects: 'None',
          clientConfig: { service: { namespace, name: 'webhook-service', path: '/validate' } },
          rules: [
            { apiGroups: ['web.example.com'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['shops'] },
          ],
        },
      ],
    });

  it('removes what an earlier deployment left, but nothing that is wanted or owned by others', async () => {
    const client = cluster.client();
    const target = { client, environment: { clock, signal: new AbortController().signal } };
    const configurations = client.resource(ValidatingWebhookConfiguration);
    const left = asking('shop-validating-webhook-configuration', 'shop-system');
    await configurations.create(left);
    await configurations.create(asking('cafe-validating-webhook-configuration', 'elsewhere'));
    const of = (name: string, objects: readonly UnstructuredObject[]) =>
      removeStaleWebhooks(target, { project: { name }, objects });

    expect(await of('shop', [left as unknown as UnstructuredObject])).toEqual([]);
    expect(await of('cafe', [])).toEqual([]);
    expect(await of('shop', [])).toEqual(['shop-validating-webhook-configuration']);
    expect(await of('shop', [])).toEqual([]);
    const names = (await configurations.list()).items.map(({ metadata }) => metadata.name);
    expect(names).toEqual(['cafe-validating-webhook-configuration']);
  });
});
