import type { KubernetesObject } from '@kubewright/apimachinery';
import { defined } from '@kubewright/apimachinery/internal';
import { describe, expect, it } from 'vitest';
import { PlaneUnderTest } from '../testdata/plane-under-test.ts';
import { bootstrapObjectsJson } from './generated/bootstrap-objects.ts';
import { type StoredForm, storeBootstrap } from './testdata/store-bootstrap.ts';

const apiservices = '/apis/apiregistration.k8s.io/v1/apiservices';
const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

async function names(plane: PlaneUnderTest, path: string): Promise<readonly string[]> {
  const { items } = JSON.parse((await plane.send('GET', path)).text);
  return items.map(({ metadata }: { readonly metadata: { readonly name: string } }) => metadata.name);
}

async function read(plane: PlaneUnderTest, path: string) {
  return JSON.parse((await plane.send('GET', path)).text);
}

/** Removes the fields that the server sets. */
function asSent({ apiVersion, kind, metadata, ...object }: KubernetesObject): KubernetesObject {
  if (kind === 'Namespace') return { apiVersion, kind, metadata: { name: metadata.name ?? '' } };
  const { uid, resourceVersion, creationTimestamp, generation, managedFields, ...rest } = metadata;
  return { apiVersion, kind, metadata: rest, ...object, ...('status' in object && { status: undefined }) };
}

const gadgets = {
  metadata: { name: 'gadgets.boot.example.com' },
  spec: {
    group: 'boot.example.com',
    scope: 'Namespaced',
    names: { plural: 'gadgets', kind: 'Gadget' },
    versions: ['v1', 'v2'].map((name) => {
      return { name, served: true, storage: name === 'v1', schema: { openAPIV3Schema: { type: 'object' } } };
    }),
  },
};

/** Returns a FlowSchema as it is before the server's controller writes its status. Returns other objects unchanged. */
function withoutDangling(object: KubernetesObject): KubernetesObject {
  if (object.kind !== 'FlowSchema') return object;
  const managedFields = object.metadata.managedFields?.filter(({ subresource }) => subresource !== 'status');
  return { ...object, metadata: { ...object.metadata, ...defined({ managedFields }) }, status: {} } as KubernetesObject;
}

describe('bootstrap', () => {
  it('stores the same objects as requests would', async () => {
    const kept: readonly StoredForm[] = JSON.parse(bootstrapObjectsJson);
    const sent = kept.filter(({ object }) => object.kind !== 'APIService').map(({ object }) => asSent(object));
    // The generator adds the status of FlowSchemas to the stored objects.
    const withoutStatus = kept.map(({ key, object }) => ({ key, object: withoutDangling(object) }));
    expect(await storeBootstrap(sent)).toEqual(withoutStatus);
  });

  it('creates objects only at the first start, each with a unique UID', async () => {
    await using plane = await PlaneUnderTest.start();
    const { objects } = await plane.storage.list({ prefix: '/registry/' });
    await plane.plane.start();
    const again = await plane.storage.list({ prefix: '/registry/' });
    expect(again.objects.map(({ revision }) => revision)).toEqual(objects.map(({ revision }) => revision));
    const uids = objects.map(({ bytes }) => JSON.parse(Buffer.from(bytes).toString()).metadata.uid);
    expect(new Set(uids).size).toBe(objects.length);
    expect(uids[0]).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('lists its 21 groups and versions as local, available APIServices', async () => {
    await using plane = await PlaneUnderTest.start();
    const { items } = await read(plane, apiservices);
    expect(items).toHaveLength(21);
    const core = items[0];
    expect(core).toMatchObject({
      metadata: { name: 'v1.', labels: { 'kube-aggregator.kubernetes.io/automanaged': 'onstart' } },
      spec: { version: 'v1', groupPriorityMinimum: 18000, versionPriority: 1 },
      status: {
        conditions: [
          {
            type: 'Available',
            status: 'True',
            reason: 'Local',
            message: 'Local APIServices are always available',
          },
        ],
      },
    });
    const row = (name: string) => {
      const { spec } = items.find((item: { metadata: { name: string } }) => item.metadata.name === name);
      return [spec.groupPriorityMinimum, spec.versionPriority];
    };
    expect(row('v2.autoscaling')).toEqual([17500, 30]);
    expect(row('v1.apps')).toEqual([17800, 15]);
    expect(row('v1.flowcontrol.apiserver.k8s.io')).toEqual([16100, 21]);
    expect(plane.errors).toEqual([]);
  });

  it('adds an APIService for each version of a CRD, and removes them with the CRD', async () => {
    await using plane = await PlaneUnderTest.start();
    await plane.send('POST', crds, gadgets, { 'content-type': 'application/json' });
    await expect.poll(async () => (await names(plane, apiservices)).length).toBe(23);
    expect(await read(plane, `${apiservices}/v2.boot.example.com`)).toMatchObject({
      metadata: { labels: { 'kube-aggregator.kubernetes.io/automanaged': 'true' } },
      spec: { group: 'boot.example.com', version: 'v2', groupPriorityMinimum: 1000, versionPriority: 100 },
    });
    const name = `${crds}/gadgets.boot.example.com`;
    await plane.send('DELETE', name);
    const patch = { 'content-type': 'application/merge-patch+json' };
    await plane.send('PATCH', name, { metadata: { finalizers: null } }, patch);
    await expect.poll(async () => (await names(plane, apiservices)).length).toBe(21);
    expect(await names(plane, apiservices)).not.toContain('v1.boot.example.com');
    expect(plane.errors).toEqual([]);
  });

  it('publishes itself as the Service default/kubernetes, and again after its address changes', async () => {
    let address = '10.1.2.3:7001';
    await using plane = await PlaneUnderTest.start({ serverAddress: () => address });
    await plane.plane.publish();
    expect(await read(plane, '/api/v1/namespaces/default/services/kubernetes')).toMatchObject({
      metadata: { labels: { component: 'apiserver', provider: 'kubernetes' } },
      spec: {
        clusterIP: '10.96.0.1',
        clusterIPs: ['10.96.0.1'],
        ports: [{ name: 'https', protocol: 'TCP', port: 443, targetPort: 7001 }],
        type: 'ClusterIP',
        sessionAffinity: 'None',
        ipFamilies: ['IPv4'],
        ipFamilyPolicy: 'SingleStack',
        internalTrafficPolicy: 'Cluster',
      },
    });
    address = '10.1.2.3:7002';
    await plane.plane.publish();
    const service = await read(plane, '/api/v1/namespaces/default/services/kubernetes');
    expect(service.spec.ports[0].targetPort).toBe(7002);
    const { subsets } = await read(plane, '/api/v1/namespaces/default/endpoints/kubernetes');
    expect(subsets).toEqual([
      { addresses: [{ ip: '10.1.2.3' }], ports: [{ name: 'https', port: 7002, protocol: 'TCP' }] },
    ]);
    const slice = await read(plane, '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes');
    expect(slice).toMatchObject({ addressType: 'IPv4', endpoints: [{ addresses: ['10.1.2.3'] }] });
  });

  it('publishes only once the date from which it tracks legacy tokens', async () => {
    await using plane = await PlaneUnderTest.start();
    await plane.plane.publish();
    const path = '/api/v1/namespaces/kube-system/configmaps/kube-apiserver-legacy-service-account-token-tracking';
    const { data, metadata } = await read(plane, path);
    expect(data).toEqual({ since: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) });
    await plane.plane.publish();
    expect((await read(plane, path)).metadata).toEqual(metadata);
    expect(plane.errors).toEqual([]);
  });

  it('shows the range of service IPs', async () => {
    await using plane = await PlaneUnderTest.start();
    const cidr = await read(plane, '/apis/networking.k8s.io/v1/servicecidrs/kubernetes');
    expect(cidr.spec).toEqual({ cidrs: ['10.96.0.0/16'] });
  });

  it('publishes the location of its token keys', async () => {
    await using plane = await PlaneUnderTest.start();
    expect(await read(plane, '/.well-known/openid-configuration')).toEqual({
      issuer: 'https://kubernetes.default.svc.cluster.local',
      jwks_uri: 'https://10.99.0.1:6443/openid/v1/jwks',
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
    });
    const { keys } = await read(plane, '/openid/v1/jwks');
    expect(keys).toHaveLength(1);
    expect(keys[0]).not.toHaveProperty('d');
  });

  it('lists its paths at the root', async () => {
    await using plane = await PlaneUnderTest.start();
    const { paths } = await read(plane, '/');
    expect(paths).toEqual([...paths].sort());
    expect(paths).toEqual(
      expect.arrayContaining(['/api/v1', '/apis', '/apis/apps', '/apis/apps/v1', '/livez', '/openapi/v3', '/version']),
    );
  });
});
