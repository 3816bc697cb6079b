import { Deployment, ReplicaSet } from '@kubewright/apimachinery/apps/v1';
import { Pod } from '@kubewright/apimachinery/core/v1';
import { stored } from '@kubewright/apimachinery/testing';
import { FakeInfrastructure, TestEnvironment, TestOperator, toBeAbsent, toMatch } from '@kubewright/testing';
import { describe, expect, it } from 'vitest';
import { PodInfo } from './api/v1alpha1/pod-info.ts';
import { infoOf, podAddresses, podInfo } from './pod-info.ts';

const containers = [{ name: 'web', image: 'nginx' }];
const ownedBy = (kind: string, name: string) => ({
  ownerReferences: [{ apiVersion: 'apps/v1', kind, name, uid: 'u', controller: true }],
});

describe('infoOf', () => {
  const pod = (owner: object = {}) =>
    stored(
      Pod({ metadata: { name: 'web-1', namespace: 'shop', labels: { app: 'web' }, ...owner }, spec: { containers } }),
    );

  it.each([
    ['the pod itself, without an owner', {}, { apiVersion: 'v1', kind: 'Pod', name: 'web-1' }],
    ['its controller', ownedBy('StatefulSet', 'web'), { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web' }],
    [
      'the Deployment above its ReplicaSet',
      ownedBy('ReplicaSet', 'web-5'),
      { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
    ],
    [
      'a ReplicaSet that belongs to no Deployment',
      ownedBy('ReplicaSet', 'x'),
      { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'x' },
    ],
  ])('records as the workload %s', (_, owner, workload) => {
    const found = { metadata: { name: 'web-5', ...ownedBy('Deployment', 'web') } };
    const info = infoOf(pod(owner), (name) => (name === 'web-5' ? found : undefined));
    expect(info).toMatchObject({
      metadata: { name: 'web-1', namespace: 'shop', labels: { app: 'web' } },
      spec: { workload },
    });
  });
});

// The default is too short for a busy machine.
const waitOptions = { timeoutMs: 30_000 };

describe('pod-info', () => {
  it('follows the pods of a Deployment from creation to deletion', async () => {
    const crd = new URL('../config/crd/bases/pods.example.com_podinfos.yaml', import.meta.url).pathname;
    await using environment = await TestEnvironment.start({
      manifests: [crd],
      components: FakeInfrastructure.components,
    });
    await using infrastructure = await FakeInfrastructure.start(environment);
    const { client } = environment;
    await using operator = await TestOperator.start(client, { controllers: [podInfo, podAddresses] });
    const infos = async () => (await client.resource(PodInfo).list({ namespace: 'default' })).items;

    const labels = { app: 'web' };
    const template = { metadata: { labels }, spec: { containers } };
    const metadata = { name: 'web', namespace: 'default' };
    const spec = { selector: { matchLabels: labels }, template };
    await client.resource(Deployment).create(Deployment({ metadata, spec }));
    const workload = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
    const [info] = await operator.eventually(infos, toMatch([{ spec: { workload } }]), waitOptions);
    const pod = await infrastructure.makeReady({ namespace: 'default', name: info?.metadata.name ?? '' });
    await operator.eventually(infos, toMatch([{ status: { podIPs: [pod.status?.podIP ?? ''] } }]), waitOptions);
    await client.resource(Deployment).delete({ namespace: 'default', name: 'web' });
    await operator.eventually(infos, toBeAbsent(), waitOptions);
    await operator.eventually(
      () => client.resource(ReplicaSet).list({ namespace: 'default' }),
      toBeAbsent(),
      waitOptions,
    );
  }, 90_000);
});
