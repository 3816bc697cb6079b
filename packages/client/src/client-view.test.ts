import { describe, expect, it } from 'vitest';
import type { ClientWrite, WriteOutcome } from './call/write-observer.ts';
import { mergePatchFrom } from './patch.ts';
import { type ConfigMap, ConfigMapKind, configMap, failure, json, scripted } from './testdata/scripted-server.ts';

const key = { namespace: 'shop', name: 'web' };
const NodeKind = { group: '', version: 'v1', kind: 'Node', plural: 'nodes', scope: 'Cluster' } as const;

describe('KubernetesClient.with', () => {
  const echo = () => scripted(() => json(configMap('web')), { fieldManager: 'tests' });

  it('makes every write a dry run, and rejects raw writes', async () => {
    const { client, seen } = echo();
    const trying = client.with({ dryRun: true }).with({ dryRun: false });
    const maps = trying.resource(ConfigMapKind);
    await maps.create(configMap('web'));
    await maps.update(configMap('web'), { dryRun: false });
    await maps.patch(key, { type: 'merge', body: {} });
    await maps.apply({ metadata: key });
    await maps.status.update(configMap('web'));
    await maps.subresource('scale').apply({ metadata: key });
    await maps.delete(key);
    await maps.deleteCollection({ namespace: 'shop' });
    await maps.get(key);
    await expect(trying.request({ method: 'POST', path: '/x' })).rejects.toMatchObject({ code: 'KW2101' });
    expect(seen.map(({ path, body }) => `${path} ${JSON.stringify(body ?? {})}`.includes('All'))).toEqual([
      ...Array(8).fill(true),
      false,
    ]);
  });

  it('sets the field manager and validation of writes; calls override them, and applies stay strict', async () => {
    const { client, seen } = echo();
    const maps = client.with({ fieldManager: 'me', fieldValidation: 'Strict' }).resource(ConfigMapKind);
    await maps.create(configMap('web'));
    await maps.create(configMap('web'), { fieldManager: 'you', fieldValidation: 'Ignore' });
    await maps.apply({ metadata: key });
    expect(seen.map(({ path }) => path.split('?')[1])).toEqual([
      'fieldManager=me&fieldValidation=Strict',
      'fieldManager=you&fieldValidation=Ignore',
      'fieldManager=me',
    ]);
  });

  it('fills in the bound namespace, rejects other namespaces, and ignores it for cluster-scoped kinds', async () => {
    const { client, seen } = echo();
    const shop = client.with({ namespace: 'shop' });
    const maps = shop.resource(ConfigMapKind);
    await maps.get({ name: 'web' });
    await maps.list();
    await maps.deleteCollection();
    await maps.watchStream();
    await shop.resource(NodeKind).get({ name: 'n' });
    expect(seen.map(({ path }) => path.split('?')[0])).toEqual([
      '/api/v1/namespaces/shop/configmaps/web',
      '/api/v1/namespaces/shop/configmaps',
      '/api/v1/namespaces/shop/configmaps',
      '/api/v1/namespaces/shop/configmaps',
      '/api/v1/nodes/n',
    ]);
    for (const call of [
      () => maps.get({ ...key, namespace: 'other' }),
      () => maps.list({ namespace: 'other' }),
      () => maps.create({ ...configMap('web'), metadata: { name: 'web', namespace: 'other' } }),
      () => maps.deleteCollection({ namespace: 'other' }),
      () => maps.status.get({ ...key, namespace: 'other' }),
    ]) {
      await expect(call()).rejects.toMatchObject({ code: 'KW2101' });
    }
    expect(() => shop.with({ namespace: 'other' })).toThrow('cannot bind');
    expect(seen).toHaveLength(5);
  });

  it('impersonates another user, with one header per group', async () => {
    const headers: unknown[] = [];
    const { client, seen } = scripted(() => json(configMap('web')), {
      interceptors: [
        (call, next) => {
          headers.push(call.request.repeatedHeaders);
          return next(call);
        },
      ],
    });
    const extra = { 'example.com/Reason': ['a', 'b'] };
    const jane = client.with({ impersonate: { user: 'jane', uid: '7', groups: ['dev', 'ops'], extra } });
    await jane.resource(ConfigMapKind).get(key);
    await client.resource(ConfigMapKind).get(key);
    // Interceptors outside the impersonation see the original headers.
    expect(headers).toEqual([undefined, undefined]);
    expect(seen[0]?.headers).toMatchObject({
      'impersonate-user': 'jane',
      'impersonate-uid': '7',
      'impersonate-group': 'dev, ops',
      'impersonate-extra-example.com%2F%52eason': 'a, b',
    });
    expect(seen[1]?.headers).not.toHaveProperty('impersonate-user');
  });
});

describe('KubernetesClient.observed', () => {
  it('reports writes and their outcomes, but not reads and dry runs', async () => {
    const notified: [ClientWrite, WriteOutcome | 'sent'][] = [];
    const { client } = scripted(({ method, path }) => {
      if (method === 'PUT') return json(failure(409, 'Conflict'), 409);
      return json(path.includes('eviction') ? { kind: 'Status', status: 'Success' } : configMap('web'));
    });
    const maps = client
      .observed((write) => {
        notified.push([write, 'sent']);
        return (outcome) => void notified.push([write, outcome]);
      })
      .with({ fieldManager: 'me' })
      .intercepted((call, next) => next(call))
      .resource(ConfigMapKind);
    await maps.get(key);
    await maps.create(configMap('web'), { dryRun: true });
    await maps.delete(key, { dryRun: true });
    await maps.status.patch(key, { type: 'merge', body: {} }, { dryRun: true });
    expect(notified).toEqual([]);
    await maps.create(configMap('web'));
    await maps.update(configMap('web')).catch(() => {});
    await maps.subresource('eviction').create(key, {});
    await maps.delete(key, { preconditions: { uid: 'u' } });
    expect(
      notified.map(([write, outcome]) => [write.verb, write.target.subresource, write.uid, outcome]),
    ).toMatchObject([
      ['create', undefined, undefined, 'sent'],
      ['create', undefined, undefined, { response: configMap('web') }],
      ['update', undefined, undefined, 'sent'],
      ['update', undefined, undefined, { error: { reason: 'Conflict' } }],
      ['create', 'eviction', undefined, 'sent'],
      ['create', 'eviction', undefined, { response: { kind: 'Status' } }],
      ['delete', undefined, 'u', 'sent'],
      ['delete', undefined, 'u', { response: configMap('web') }],
    ]);
  });
});

describe('KubernetesClient.observed if nothing was sent', () => {
  it('reports a write as not sent if an interceptor or a gate rejects the call', async () => {
    const outcomes: WriteOutcome[] = [];
    const { client } = scripted(() => {
      throw new Error('the connection broke');
    });
    const observed = client.observed(() => (outcome) => void outcomes.push(outcome));
    const refuse = (): never => {
      throw new Error('refused');
    };
    const asked = observed.intercepted(refuse);
    const atTheGate = observed.intercepted((call, next) =>
      next({ ...call, request: { ...call.request, gate: refuse } }),
    );
    for (const each of [asked, atTheGate, observed]) {
      await each
        .resource(ConfigMapKind)
        .create(configMap('web'))
        .catch(() => {});
    }
    expect(outcomes.map((outcome) => 'error' in outcome && [(outcome.error as Error).message, outcome.sent])).toEqual([
      ['refused', false],
      ['refused', false],
      ['the connection broke', true],
    ]);
  });
});

describe('mergePatchFrom', () => {
  const base: ConfigMap = { ...configMap('web', { resourceVersion: '7' }), data: { a: '1', b: '2' } };

  it('contains the changes and, with a lock, the version', () => {
    const changed = { ...base, data: { a: '1', c: '3' } };
    expect(mergePatchFrom(base, changed)).toEqual({ type: 'merge', body: { data: { b: null, c: '3' } } });
    expect(mergePatchFrom(base, changed, { optimisticLock: true }).body).toEqual({
      data: { b: null, c: '3' },
      metadata: { resourceVersion: '7' },
    });
  });
});
