import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PlaneUnderTest } from '../../testdata/plane-under-test.ts';

const core = (namespace: string, resource: string) => `/api/v1/namespaces/${namespace}/${resource}`;
const merge = { 'content-type': 'application/merge-patch+json' };

describe('ResourceQuota admission', () => {
  let plane: PlaneUnderTest;
  let namespaces = 0;
  beforeAll(async () => {
    plane = await PlaneUnderTest.start();
  });
  afterAll(() => plane[Symbol.asyncDispose]());

  /** Creates a namespace with a quota whose usage is up to date. */
  async function limited(hard: Readonly<Record<string, string>>, spec: object = {}): Promise<string> {
    const namespace = `quota-${namespaces++}`;
    await plane.send('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
    await plane.send('POST', core(namespace, 'serviceaccounts'), { metadata: { name: 'default' } });
    await plane.send('POST', core(namespace, 'resourcequotas'), { metadata: { name: 'q' }, spec: { hard, ...spec } });
    await calculated(namespace, hard);
    return namespace;
  }

  async function calculated(namespace: string, hard: Readonly<Record<string, string>>): Promise<void> {
    const used = Object.fromEntries(Object.keys(hard).map((name) => [name, '0']));
    const { status } = await plane.send(
      'PATCH',
      `${core(namespace, 'resourcequotas')}/q/status`,
      { status: { hard, used } },
      merge,
    );
    expect(status).toBe(200);
  }

  const usedOf = async (namespace: string) =>
    JSON.parse((await plane.send('GET', `${core(namespace, 'resourcequotas')}/q`)).text).status.used;

  async function create(namespace: string, resource: string, body: object) {
    const { status, text } = await plane.send('POST', core(namespace, resource), body);
    return { status, message: JSON.parse(text).message };
  }

  const pod = (namespace: string, name: string, requests: object = {}, more: object = {}) =>
    create(namespace, 'pods', {
      metadata: { name },
      spec: { containers: [{ name: 'c', image: 'i', resources: { requests } }], ...more },
    });

  it('rejects objects that exceed a quota, and charges the others', async () => {
    const namespace = await limited({ pods: '2', 'requests.cpu': '1' });
    expect((await pod(namespace, 'a', { cpu: '600m' })).status).toBe(201);
    expect(await usedOf(namespace)).toEqual({ pods: '1', 'requests.cpu': '600m' });
    expect(await pod(namespace, 'b', { cpu: '500m' })).toEqual({
      status: 403,
      message:
        'pods "b" is forbidden: exceeded quota: q, requested: requests.cpu=500m, used: requests.cpu=600m, limited: requests.cpu=1',
    });
    expect((await pod(namespace, 'c', { cpu: '400m' })).status).toBe(201);
    expect(await pod(namespace, 'd', { cpu: '1' })).toMatchObject({
      message:
        'pods "d" is forbidden: exceeded quota: q, requested: pods=1,requests.cpu=1, used: pods=2,requests.cpu=1, limited: pods=2,requests.cpu=1',
    });
    expect(await usedOf(namespace)).toEqual({ pods: '2', 'requests.cpu': '1' });
  });

  it('rejects pods that do not set the amounts that a quota limits', async () => {
    const namespace = await limited({ 'requests.cpu': '1', 'limits.memory': '1Gi' });
    expect(await pod(namespace, 'a')).toEqual({
      status: 403,
      message: 'pods "a" is forbidden: failed quota: q: must specify limits.memory for: c; requests.cpu for: c',
    });
  });

  it('rejects writes until the usage has been calculated', async () => {
    const namespace = await limited({ configmaps: '1' });
    const quota = `${core(namespace, 'resourcequotas')}/q/status`;
    await plane.send('PATCH', quota, { status: { hard: { secrets: '1' } } }, merge);
    expect(await create(namespace, 'secrets', { metadata: { name: 's' } })).toEqual({
      status: 403,
      message: 'secrets "s" is forbidden: status unknown for quota: q, resources: secrets',
    });
  });

  it('never lets concurrent writes exceed a quota together', async () => {
    const namespace = await limited({ 'count/configmaps': '3' });
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const results = await Promise.all(names.map((name) => create(namespace, 'configmaps', { metadata: { name } })));
    expect(results.filter(({ status }) => status === 201)).toHaveLength(3);
    expect(await usedOf(namespace)).toEqual({ 'count/configmaps': '3' });
  });

  it('charges only pods in the scopes of a quota', async () => {
    const namespace = await limited({ pods: '0' }, { scopes: ['BestEffort'] });
    expect((await pod(namespace, 'best-effort')).status).toBe(403);
    expect((await pod(namespace, 'burstable', { cpu: '1' })).status).toBe(201);
  });

  it('charges an update only for the increase', async () => {
    const namespace = await limited({ 'services.nodeports': '1' });
    const ports = [{ port: 80, name: 'a' }];
    const service = (more: object) => ({ metadata: { name: 's' }, spec: { type: 'NodePort', ports, ...more } });
    expect((await create(namespace, 'services', service({}))).status).toBe(201);
    const path = `${core(namespace, 'services')}/s`;
    const relabel = { metadata: { labels: { a: 'b' } } };
    expect((await plane.send('PATCH', path, relabel, merge)).status).toBe(200);
    const two = { spec: { ports: [...ports, { port: 81, name: 'b' }] } };
    const { text } = await plane.send('PATCH', path, two, merge);
    expect(JSON.parse(text).message).toBe(
      'services "s" is forbidden: exceeded quota: q, requested: services.nodeports=1, used: services.nodeports=1, limited: services.nodeports=1',
    );
    expect((await plane.send('PATCH', path, { spec: { type: 'ClusterIP' } }, merge)).status).toBe(200);
  });

  it('does not count events', async () => {
    const namespace = await limited({ 'count/events': '0' });
    const event = { metadata: { name: 'e' }, involvedObject: { kind: 'Pod', namespace, name: 'p' } };
    expect((await create(namespace, 'events', event)).status).toBe(201);
  });

  it('charges nothing for a dry run', async () => {
    const namespace = await limited({ configmaps: '1' });
    const path = `${core(namespace, 'configmaps')}?dryRun=All`;
    expect((await plane.send('POST', path, { metadata: { name: 'c' } })).status).toBe(201);
    expect(await usedOf(namespace)).toEqual({ configmaps: '0' });
  });
});
