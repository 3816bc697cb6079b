import {
  systemClock as clock,
  isNotFound,
  systemRandom as random,
  type UnstructuredObject,
} from '@kubewright/apimachinery';
import { ValidatingWebhookConfiguration } from '@kubewright/apimachinery/admissionregistration/v1';
import { EmbeddedCluster } from '@kubewright/controlplane';
import { silentLogger as log } from '@kubewright/runtime';
import { describe, expect, it } from 'vitest';
import { DevObjects, ownerAnnotation } from '../../packages/cli/src/dev/cluster/dev-objects.ts';

const name = 'shop-validating';

/** Returns a webhook configuration as a plain object. */
function configuration(clientConfig: object): UnstructuredObject {
  const rules = [{ apiGroups: ['example.com'], apiVersions: ['v1'], resources: ['shops'], operations: ['CREATE'] }];
  const webhook = { name: 'shops.example.com', rules, admissionReviewVersions: ['v1'], sideEffects: 'None' };
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name },
    webhooks: [{ ...webhook, clientConfig }],
  };
}

describe('DevObjects', () => {
  it.each([
    ['removes the webhooks of a dev of this project that was killed', { [ownerAnnotation]: 'ada:/shop' }, undefined],
    ['returns the webhooks of another developer', { [ownerAnnotation]: 'eve:/shop' }, 'https://192.0.2.1:1/validate'],
    ['returns webhooks of unknown origin', {}, 'https://192.0.2.1:1/validate'],
  ])('%s', async (_, annotations, left) => {
    await using cluster = await EmbeddedCluster.start({ clock, random, log, components: ['apiserver'] });
    const client = cluster.client();
    const target = { client, environment: { clock, signal: new AbortController().signal } };
    const configurations = client.resource(ValidatingWebhookConfiguration);
    const urls = async (): Promise<readonly (string | undefined)[]> =>
      ((await configurations.get({ name })).webhooks ?? []).map(({ clientConfig }) => clientConfig.url);
    // The object is well-formed.
    const former = configuration({ url: 'https://192.0.2.1:1/validate' }) as unknown as ValidatingWebhookConfiguration;
    await configurations.create({ ...former, metadata: { name, annotations } });
    const local = configuration({ url: 'https://192.0.2.1:2/validate' });
    const original = configuration({ service: { namespace: 'shop', name: 'webhooks', path: '/validate' } });
    const objects = new DevObjects(target, { owner: 'ada:/shop' });
    await objects.apply(local, original);
    expect(await urls()).toEqual(['https://192.0.2.1:2/validate']);
    await objects.leave(target);
    if (left === undefined) await expect(configurations.get({ name })).rejects.toSatisfy(isNotFound);
    else expect(await urls()).toEqual([left]);
  });
});
