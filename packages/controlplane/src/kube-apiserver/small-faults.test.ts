import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PlaneUnderTest } from './testdata/plane-under-test.ts';
import type { Json } from './testdata/test-server.ts';

const json = { 'content-type': 'application/json' };
const merge = { 'content-type': 'application/merge-patch+json' };
const apply = { 'content-type': 'application/apply-patch+yaml' };
const core = '/api/v1/namespaces/default';
const container = { name: 'c', image: 'i' };

/** Regressions: differences from kube-apiserver 1.36.3 that a comparison found. The expected responses are the real server's. */
describe('the API server responds like kube-apiserver', () => {
  let plane: PlaneUnderTest;
  beforeAll(async () => {
    plane = await PlaneUnderTest.start();
    await plane.send('POST', `${core}/serviceaccounts`, { metadata: { name: 'default' } }, json);
  });
  afterAll(async () => {
    expect(plane.errors).toEqual([]);
    await plane[Symbol.asyncDispose]();
  });

  interface Answer {
    readonly status: number;
    readonly object: Json;
  }
  const call = async (method: string, path: string, body?: unknown, headers = json): Promise<Answer> => {
    const { status, text } = await plane.send(method, path, body, headers);
    return { status, object: text.startsWith('{') ? JSON.parse(text) : text };
  };
  const create = (path: string, body: unknown): Promise<Answer> => call('POST', path, body);
  const patch = (path: string, body: unknown): Promise<Answer> => call('PATCH', path, body, merge);

  it.each([
    ['/api/v1/nodes', {}],
    ['/apis/rbac.authorization.k8s.io/v1/clusterroles', { rules: [] }],
    ['/apis/scheduling.k8s.io/v1/priorityclasses', { value: 5 }],
  ])('drops the namespace of cluster-scoped objects: %s', async (path, rest) => {
    const made = await create(path, { metadata: { name: 'scoped', namespace: 'x' }, ...rest });
    expect([made.status, made.object.metadata.namespace]).toEqual([201, undefined]);
    const update = { ...made.object, metadata: { ...made.object.metadata, namespace: 'y', labels: { a: 'b' } } };
    const { status, object } = await call('PUT', `${path}/scoped`, update);
    expect([status, object.metadata.namespace, object.metadata.labels]).toEqual([200, undefined, { a: 'b' }]);
  });

  it('keeps only the names in a service account’s secrets', async () => {
    const body = { metadata: { name: 'sa' }, secrets: [{ namespace: 'x' }, { name: 'a', kind: 'Secret' }] };
    const { status, object } = await create(`${core}/serviceaccounts`, body);
    expect([status, object.secrets]).toEqual([201, [{}, { name: 'a' }]]);
  });

  it('rejects applies to an object whose list has an element without its key', async () => {
    const body = { metadata: { name: 'keyless' }, secrets: [{ namespace: 'x' }] };
    await create(`${core}/serviceaccounts`, body);
    const configuration = {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'keyless', labels: { a: 'b' } },
    };
    const path = `${core}/serviceaccounts/keyless?fieldManager=m`;
    const { status, object } = await call('PATCH', path, configuration, apply);
    const fault = `.secrets: element 0: associative list with keys has an element that omits all key fields ["name"] (and doesn't have default values for any key fields)`;
    const message = `failed to create manager for existing fields: failed to convert new object (default/keyless; /v1, Kind=ServiceAccount) to smd typed: ${fault}`;
    expect([status, object.message, object.reason]).toEqual([500, message, undefined]);
  });

  it.each([
    ['the pod’s', '', undefined],
    ['the deletion’s', '1', '{"gracePeriodSeconds":9223372036854775807}'],
  ])('writes a 64-bit grace period exactly, even in tables: %s', async (_whose, suffix, options) => {
    const name = `patient${suffix}`;
    const grace = options === undefined ? '9223372036854775807' : '1';
    const spec = `{"nodeName":"n","terminationGracePeriodSeconds":${grace},"containers":[{"name":"c","image":"i"}]}`;
    const created = await plane.send('POST', `${core}/pods`, `{"metadata":{"name":"${name}"},"spec":${spec}}`, json);
    expect(created.status).toBe(201);
    const deleted = await plane.send('DELETE', `${core}/pods/${name}`, options, json);
    const field = '"deletionGracePeriodSeconds":9223372036854775807';
    expect([deleted.status, deleted.text]).toEqual([200, expect.stringContaining(field)]);
    const table = { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' };
    const listed = await plane.send('GET', `${core}/pods`, undefined, table);
    expect([listed.status, listed.text]).toEqual([200, expect.stringContaining(field)]);
    expect((await plane.send('DELETE', `${core}/pods/${name}`, '{"gracePeriodSeconds":0}', json)).status).toBe(200);
  });

  it('marks a pod before it removes it, so that watchers get two events', async () => {
    const { object } = await create(`${core}/pods`, {
      metadata: { name: 'marked' },
      spec: { containers: [container] },
    });
    await call('DELETE', `${core}/pods/marked`);
    const from = `watch=true&fieldSelector=metadata.name=marked&resourceVersion=${object.metadata.resourceVersion}`;
    const { text } = await plane.send('GET', `${core}/pods?${from}&timeoutSeconds=1`);
    const events = text.trim().split('\n');
    expect(
      events.map((line) => {
        const { type, object: pod } = JSON.parse(line);
        return [type, pod.metadata.generation, pod.metadata.deletionGracePeriodSeconds];
      }),
    ).toEqual([
      ['MODIFIED', 2, 0],
      ['DELETED', 2, 0],
    ]);
  });

  it('stores the phase of a claim with its first update, even if the update changes nothing', async () => {
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    const path = `${core}/persistentvolumeclaims`;
    const { object: made } = await create(path, { metadata: { name: 'unchanged' }, spec });
    expect(made.status).toEqual({ phase: 'Pending' });
    const versionOf = async (): Promise<string> =>
      (await patch(`${path}/unchanged`, {})).object.metadata.resourceVersion;
    const first = await versionOf();
    expect(first).not.toBe(made.metadata.resourceVersion);
    expect(await versionOf()).toBe(first);
  });

  it('rejects an eviction whose pod differs from the one in the path', async () => {
    await create(`${core}/pods`, { metadata: { name: 'evicted' }, spec: { containers: [container] } });
    const evict = (metadata: object): Promise<Answer> =>
      create(`${core}/pods/evicted/eviction`, { apiVersion: 'policy/v1', kind: 'Eviction', metadata });
    expect((await evict({ name: 'evicted', namespace: 'q' })).object).toMatchObject({
      code: 400,
      message: 'the namespace of the provided object does not match the namespace sent on the request',
    });
    expect((await call('GET', `${core}/pods/evicted`)).status).toBe(200);
  });

  it('allocates an address when a Service stops being an ExternalName, and drops it and its policies when it becomes one again', async () => {
    const external = { type: 'ExternalName', externalName: 'a.example.com' };
    await create(`${core}/services`, { metadata: { name: 'ext' }, spec: external });
    const spec = { type: 'ClusterIP', externalName: null, ports: [{ port: 80 }] };
    const { object } = await patch(`${core}/services/ext`, { spec });
    expect(object.spec.clusterIP).toMatch(/^10\./);
    expect(object.spec.clusterIPs).toEqual([object.spec.clusterIP]);
    const back = await patch(`${core}/services/ext`, { spec: { ...external, clusterIP: null, clusterIPs: null } });
    for (const field of ['clusterIP', 'internalTrafficPolicy', 'ipFamilies'])
      expect(back.object.spec).not.toHaveProperty(field);
  });

  it.each([
    [
      { ipFamilyPolicy: 'RequireDualStack' },
      'spec.ipFamilyPolicy',
      '"RequireDualStack": this cluster is not configured',
    ],
    [{ ipFamilies: ['IPv6'] }, 'spec.ipFamilies[0]', '"IPv6": not configured on this cluster'],
    [{ ipFamilies: ['IPv4', 'IPv6'] }, 'spec.ipFamilyPolicy', '"SingleStack": must be'],
  ])('rejects Services with IP families that the cluster does not have: %j', async (families, field, message) => {
    const body = { metadata: { name: 'dual' }, spec: { ...families, ports: [{ port: 80 }] } };
    const { status, object } = await create(`${core}/services`, body);
    expect([status, object.details.causes[0].field]).toEqual([422, field]);
    expect(object.message).toContain(message);
  });

  it('allows both IP families for headless Services without a selector', async () => {
    const spec = { clusterIP: 'None', ipFamilyPolicy: 'RequireDualStack', ports: [{ port: 80 }] };
    const { status, object } = await create(`${core}/services`, { metadata: { name: 'headless' }, spec });
    expect([status, object.spec.ipFamilies]).toEqual([201, ['IPv4', 'IPv6']]);
  });

  it.each([
    ['GET', '/livez/etcd', 200],
    ['GET', '/livez/log', 200],
    ['GET', '/readyz/informer-sync', 200],
    ['GET', '/readyz/etcd-readiness', 200],
    ['GET', '/readyz/shutdown', 200],
    ['GET', '/livez/informer-sync', 404],
    ['GET', '/healthz/informer-sync', 404],
    ['GET', '/livez/poststarthook/rbac/bootstrap-roles', 200],
    ['GET', '/readyz/poststarthook/crd-informer-synced', 200],
    ['GET', '/livez/poststarthook', 404],
    ['GET', '/livez/autoregister-completion', 200],
    ['HEAD', '/api/v1/namespaces/default', 405],
    ['HEAD', '/api/v1/namespaces', 405],
    ['HEAD', '/api', 405],
    ['HEAD', '/apis', 200],
    ['HEAD', '/apis/apps/v1', 405],
    ['HEAD', '/version', 405],
    ['HEAD', '/metrics', 200],
    ['HEAD', '/livez', 200],
    ['POST', '/api', 405],
    ['POST', '/apis/apps/v1', 405],
  ])('responds to %s %s with %i', async (method, path, status) => {
    expect((await plane.send(method, path)).status).toBe(status);
  });

  it.each([
    ['a.b', 'must not contain dots'],
    ['a'.repeat(64), 'must be no more than 63 characters'],
  ])('rejects StatefulSets named %s', async (name, message) => {
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [container] } };
    const spec = { serviceName: 's', selector: { matchLabels: { a: 'b' } }, template };
    const { status, object } = await create('/apis/apps/v1/namespaces/default/statefulsets', {
      metadata: { name },
      spec,
    });
    expect([status, object.details.causes[0].field]).toEqual([422, 'metadata.name']);
    expect(object.message).toContain(message);
  });

  it("uses the default PriorityClass, allows only one, and protects the system's classes", async () => {
    const classes = '/apis/scheduling.k8s.io/v1/priorityclasses';
    const own = { metadata: { name: 'own' }, value: 7, globalDefault: true, preemptionPolicy: 'Never' };
    expect((await create(classes, own)).status).toBe(201);
    const other = { metadata: { name: 'other' }, value: 9, globalDefault: true };
    expect((await create(classes, other)).object.message).toBe(
      'priorityclasses.scheduling.k8s.io "other" is forbidden: PriorityClass own is already marked as default. Only one default can exist',
    );
    const { object } = await create(`${core}/pods`, { metadata: { name: 'p' }, spec: { containers: [container] } });
    expect(object.spec).toMatchObject({ priority: 7, priorityClassName: 'own', preemptionPolicy: 'Never' });
    const changed = await patch(`${classes}/own`, { globalDefault: false });
    expect([changed.status, changed.object.metadata.generation]).toEqual([200, 1]);
    expect((await call('DELETE', `${classes}/system-node-critical`)).object).toMatchObject({
      code: 403,
      message:
        'priorityclasses.scheduling.k8s.io "system-node-critical" is forbidden: this is a system priority class and cannot be deleted',
    });
  });
});
