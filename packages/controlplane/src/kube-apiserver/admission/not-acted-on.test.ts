import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PlaneUnderTest } from '../testdata/plane-under-test.ts';
import { notActedOn } from './not-acted-on.ts';

const merge = { 'content-type': 'application/merge-patch+json' };
const namespaces = '/api/v1/namespaces';
const policies = '/apis/networking.k8s.io/v1/namespaces/default/networkpolicies';

describe('warnings about ignored objects', () => {
  let plane: PlaneUnderTest;
  beforeAll(async () => {
    plane = await PlaneUnderTest.start();
  });
  afterAll(() => plane[Symbol.asyncDispose]());

  const send = async (method: string, path: string, body: object, headers: Readonly<Record<string, string>> = {}) => {
    const { status, warning } = await plane.send(method, path, body, headers);
    return { status, warning };
  };

  it('are returned when an object is created or changed', async () => {
    const warning = '299 - "kubewright: NetworkPolicies are not enforced in this cluster"';
    const policy = { metadata: { name: 'closed' }, spec: { podSelector: {} } };
    expect(await send('POST', policies, policy)).toEqual({ status: 201, warning });
    const label = { metadata: { labels: { a: 'b' } } };
    expect(await send('PATCH', `${policies}/closed`, label, merge)).toEqual({ status: 200, warning });
  });

  it('are omitted for NetworkPolicies if the cluster enforces them', async () => {
    await using enforcing = await PlaneUnderTest.start({ networkPolicies: true });
    const body = { metadata: { name: 'closed' }, spec: { podSelector: {} } };
    const { status, warning } = await enforcing.send('POST', policies, body);
    expect({ status, warning }).toEqual({ status: 201, warning: undefined });
  });

  it('are returned only if the object uses an ignored feature', async () => {
    const namespace = (name: string, labels: object) => send('POST', namespaces, { metadata: { name, labels } });
    const audit = 'pod-security.kubernetes.io/audit';
    expect(await namespace('plain', {})).toEqual({ status: 201 });
    expect(await namespace('open', { [audit]: 'privileged' })).toEqual({ status: 201 });
    expect(await namespace('strict', { [audit]: 'restricted' })).toEqual({
      status: 201,
      warning: '299 - "kubewright: Pod Security `audit` labels of namespaces have no effect in this cluster"',
    });
    const labels = { metadata: { labels: { [audit]: 'baseline' } } };
    expect((await send('PATCH', `${namespaces}/plain`, labels, merge)).warning).toContain(
      'Pod Security `audit` labels',
    );
  });

  it('include the ignored pod fields if nodes run containers as processes', async () => {
    await using processes = await PlaneUnderTest.start({ processes: true });
    const pods = '/api/v1/namespaces/kube-system/pods';
    await processes.send('POST', '/api/v1/namespaces/kube-system/serviceaccounts', { metadata: { name: 'default' } });
    const warningsOf = async (spec: object, container: object, to = processes) => {
      const containers = [{ name: 'c', image: 'i', ...container }];
      const body = { metadata: { generateName: 'p-' }, spec: { containers, ...spec } };
      const { warning = '' } = await to.send('POST', `${pods}?dryRun=All`, body);
      return [...warning.matchAll(/kubewright: (\w+)/g)].map(([, first]) => first);
    };
    const securityContext = { seccompProfile: { type: 'RuntimeDefault' } };
    expect(await warningsOf({}, {})).toEqual([]);
    expect(await warningsOf({}, { resources: { requests: { cpu: '1' } } })).toEqual([]);
    expect(await warningsOf({}, { resources: { limits: { cpu: '1' } } })).toEqual(['Limits']);
    expect(await warningsOf({}, { securityContext: { privileged: true } })).toEqual(['Capabilities']);
    expect(await warningsOf({ securityContext }, {})).toEqual(['Seccomp']);
    const init = [{ name: 'i', image: 'i', securityContext: { readOnlyRootFilesystem: true } }];
    expect(await warningsOf({ initContainers: init }, {})).toEqual(['Seccomp']);
    await plane.send('POST', '/api/v1/namespaces/kube-system/serviceaccounts', { metadata: { name: 'default' } });
    expect(await warningsOf({ securityContext }, {}, plane)).toEqual([]);
  });

  it('are omitted for status updates and for other kinds', async () => {
    expect(await send('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name: 'c' } })).toEqual({
      status: 201,
    });
    const status = { status: { conditions: [] } };
    expect(await send('PATCH', `${namespaces}/strict/status`, status, merge)).toEqual({ status: 200 });
  });

  it('name resources that the server serves', () => {
    const served = new Set(plane.plane.catalog.all().map(({ group, resource }) => `${group}/${resource}`));
    for (const { group, resources } of notActedOn)
      for (const resource of resources) expect(served).toContain(`${group}/${resource}`);
  });
});
