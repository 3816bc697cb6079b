import { describe, expect, it } from 'vitest';
import type { ClientWrite, WriteOutcome } from './call/write-observer.ts';
import { mergePatchFrom } from './patch.ts';
import { type ConfigMap, ConfigMapKind, configMap, failure, json, scripted } from './testdata/scripted-server.ts';

const key = { namespace: 'shop', name: 'web' };
const NodeKind = { group: '', version: 'v1', kind: 'Node', plural: 'nodes', scope: 'Cluster' } as const;

describe('KubernetesClient.with', () => {
  const echo = () => scripted(() => json(configMap('web')), { fieldManager: 'tests' });

  it('makes every write a dry run, and sends no raw write', async () => {
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

  it('names the field manager and the validation of writes; calls override them, applies are strict anyway', async () => {
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

  it('binds to a namespace: fills it in, refuses others, lets cluster-scoped kinds pass', async () => {
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

  it('calls in the name of somebody else, each group in a header of its own', async () => {
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
    // Outer interceptors see the call as it was made.
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
  it('tells of writes and what became of them, not of reads and dry runs', async () => {
    const told: [ClientWrite, WriteOutcome | 'sent'][] = [];
    const { client } = scripted(({ method, path }) => {
      if (method === 'PUT') return json(failure(409, 'Conflict'), 409);
      return json(path.includes('eviction') ? { kind: 'Status', status: 'Success' } : configMap('web'));
    });
    const maps = client
      .observed((write) => {
        told.push([write, 'sent']);
        return (outcome) => void told.push([write, outcome]);
      })
      .with({ fieldManager: 'me' })
      .intercepted((call, next) => next(call))
      .resource(ConfigMapKind);
    await maps.get(key);
    await maps.create(configMap('web'), { dryRun: true });
    await maps.delete(key, { dryRun: true });
    await maps.status.patch(key, { type: 'merge', body: {} }, { dryRun: true });
    expect(told).toEqual([]);
    await maps.create(configMap('web'));
    await maps.update(configMap('web')).catch(() => {});
    await maps.subresource('eviction').create(key, {});
    await maps.delete(key, { preconditions: { uid: 'u' } });
    expect(told.map(([write, outcome]) => [write.verb, write.target.subresource, write.uid, outcome])).toMatchObject([
      ['create', undefined, undefined, 'sent'],
      ['create', undefined, undefined, { answer: configMap('web') }],
      ['update', undefined, undefined, 'sent'],
      ['update', undefined, undefined, { error: { reason: 'Conflict' } }],
      ['create', 'eviction', undefined, 'sent'],
      ['create', 'eviction', undefined, { answer: { kind: 'Status' } }],
      ['delete', undefined, 'u', 'sent'],
      ['delete', undefined, 'u', { answer: configMap('web') }],
    ]);
  });
});

describe('KubernetesClient.observed, where nothing was sent', () => {
  it('says so: an interceptor or a gate refused, and the connection saw no byte', async () => {
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

  it('says what changed, and with a lock of which version', () => {
    const changed = { ...base, data: { a: '1', c: '3' } };
    expect(mergePatchFrom(base, changed)).toEqual({ type: 'merge', body: { data: { b: null, c: '3' } } });
    expect(mergePatchFrom(base, changed, { optimisticLock: true }).body).toEqual({
      data: { b: null, c: '3' },
      metadata: { resourceVersion: '7' },
    });
  });
});
