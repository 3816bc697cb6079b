import { StatusError } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import { ConfigMapKind, configMap, failure, json, scripted } from './testdata/scripted-server.ts';
import { TransportError } from './transport/transport-error.ts';

const key = { namespace: 'shop', name: 'web' };

describe('ResourceClient requests', () => {
  const echo = () => scripted(() => json(configMap('web')), { fieldManager: 'tests', defaultNamespace: 'mine' });

  it('addresses objects and collections', async () => {
    const { client, seen } = echo();
    const maps = client.resource(ConfigMapKind);
    await maps.get(key);
    await maps.get({ name: 'a:b' });
    await maps.list({
      namespace: 'shop',
      labelSelector: { app: 'web', tier: 'front' },
      fieldSelector: 'metadata.name=x',
      limit: 5,
    });
    await maps.list();
    expect(seen.map((request) => request.path)).toEqual([
      '/api/v1/namespaces/shop/configmaps/web',
      '/api/v1/namespaces/mine/configmaps/a:b',
      '/api/v1/namespaces/shop/configmaps?labelSelector=app%3Dweb%2Ctier%3Dfront&fieldSelector=metadata.name%3Dx&limit=5',
      '/api/v1/configmaps',
    ]);
    const nodes = client.resource({ group: 'g.io', version: 'v2', kind: 'Thing', plural: 'things', scope: 'Cluster' });
    await nodes.get(key);
    await nodes.subresource('scale').get(key);
    expect(seen.slice(4).map((request) => request.path)).toEqual([
      '/apis/g.io/v2/things/web',
      '/apis/g.io/v2/things/web/scale',
    ]);
  });

  it('sends the options of writes in the query, and of deletes in the body', async () => {
    const { client, seen } = echo();
    const maps = client.resource(ConfigMapKind);
    await maps.create(configMap('web'), { dryRun: true, fieldValidation: 'Strict' });
    await maps.update(configMap('web'), { fieldManager: 'other' });
    await maps.patch(key, { type: 'merge', body: { data: null } });
    await maps.apply({ metadata: key, data: { a: 'b' } }, { force: true });
    await maps.delete(key, {
      propagationPolicy: 'Foreground',
      preconditions: { uid: 'u' },
      gracePeriodSeconds: 0,
      dryRun: true,
    });
    await maps.delete(key);
    await maps.deleteCollection({ namespace: 'shop', labelSelector: 'a' });
    expect(seen.map(({ method, path, body }) => ({ method, path, body }))).toMatchObject([
      {
        method: 'POST',
        path: '/api/v1/namespaces/shop/configmaps?dryRun=All&fieldManager=tests&fieldValidation=Strict',
      },
      { method: 'PUT', path: '/api/v1/namespaces/shop/configmaps/web?fieldManager=other' },
      { method: 'PATCH', path: '/api/v1/namespaces/shop/configmaps/web?fieldManager=tests', body: { data: null } },
      {
        method: 'PATCH',
        path: '/api/v1/namespaces/shop/configmaps/web?fieldManager=tests&force=true',
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: key, data: { a: 'b' } },
      },
      {
        method: 'DELETE',
        path: '/api/v1/namespaces/shop/configmaps/web',
        body: {
          kind: 'DeleteOptions',
          apiVersion: 'v1',
          propagationPolicy: 'Foreground',
          preconditions: { uid: 'u' },
          gracePeriodSeconds: 0,
          dryRun: ['All'],
        },
      },
      { method: 'DELETE', body: undefined },
      { method: 'DELETE', path: '/api/v1/namespaces/shop/configmaps?labelSelector=a' },
    ]);
    expect(seen.map((request) => request.headers['content-type'])).toEqual([
      'application/json',
      'application/json',
      'application/merge-patch+json',
      'application/apply-patch+yaml',
      'application/json',
      undefined,
      undefined,
    ]);
  });

  it('rejects names that would address something else', async () => {
    const { client, seen } = echo();
    const maps = client.resource(ConfigMapKind);
    for (const name of ['', '.', '..', 'a/b', 'a%2Fb']) {
      await expect(maps.get({ namespace: 'shop', name })).rejects.toMatchObject({ code: 'KW2101' });
    }
    await expect(maps.delete({ namespace: '../x', name: 'web' })).rejects.toMatchObject({ code: 'KW2101' });
    await expect(maps.update({ ...configMap('web'), metadata: {} })).rejects.toMatchObject({ code: 'KW2101' });
    await expect(maps.apply({ metadata: { namespace: 'shop' } }, { fieldManager: 'm' })).rejects.toThrow(
      'set metadata.name',
    );
    expect(seen).toEqual([]);
  });

  it('rejects an apply without a field manager', async () => {
    const { client } = scripted(() => json({}));
    await expect(client.resource(ConfigMapKind).apply({ metadata: key })).rejects.toThrow('field manager');
  });

  it('adds apiVersion and kind to list items, and accepts null for an empty list', async () => {
    const { kind: _, apiVersion: __, ...bare } = configMap('web');
    let items: unknown = [bare];
    const { client } = scripted(() => json({ kind: 'ConfigMapList', apiVersion: 'v1', metadata: {}, items }));
    const maps = client.resource(ConfigMapKind);
    expect((await maps.list()).items).toEqual([configMap('web')]);
    items = null;
    expect((await maps.list()).items).toEqual([]);
  });

  it('requests metadata only', async () => {
    const { client, seen } = echo();
    await client.metadata(ConfigMapKind).get(key);
    await client.metadata(ConfigMapKind).list();
    expect(seen[0]?.headers['accept']).toContain('as=PartialObjectMetadata;');
    expect(seen[1]?.headers['accept']).toContain('as=PartialObjectMetadataList;');
  });
});

describe('ResourceClient paging', () => {
  const page = (names: string[], token = '') =>
    json({
      apiVersion: 'v1',
      kind: 'ConfigMapList',
      metadata: { continue: token },
      items: names.map((name) => configMap(name)),
    });

  async function names(items: AsyncIterable<{ metadata: { name?: string } }>): Promise<(string | undefined)[]> {
    const all: (string | undefined)[] = [];
    for await (const item of items) all.push(item.metadata.name);
    return all;
  }

  it('follows continue tokens without sending a version', async () => {
    const { client, seen } = scripted(({ path }) =>
      path.includes('continue=t1') ? page(['c']) : page(['a', 'b'], 't1'),
    );
    expect(await names(client.resource(ConfigMapKind).listAll({ limit: 2, resourceVersion: '0' }))).toEqual([
      'a',
      'b',
      'c',
    ]);
    expect(seen[1]?.path).toBe('/api/v1/configmaps?limit=2&continue=t1');
  });

  it('relists once when the token has expired, and yields no item twice', async () => {
    const { client, seen } = scripted(({ path }) => {
      if (path.includes('continue')) return json(failure(410, 'Expired'), 410);
      return path.includes('limit') ? page(['a', 'b'], 't1') : page(['a', 'b', 'c', 'd']);
    });
    expect(await names(client.resource(ConfigMapKind).listAll())).toEqual(['a', 'b', 'c', 'd']);
    expect(seen).toHaveLength(3);
  });
});

describe('KubernetesClient failures', () => {
  it("reconstructs the error in the API's response", async () => {
    const { client } = scripted(() => json(failure(409, 'Conflict', { details: { name: 'web' } }), 409));
    const error = await client
      .resource(ConfigMapKind)
      .get(key)
      .catch((caught) => caught);
    expect(error).toBeInstanceOf(StatusError);
    expect(error).toMatchObject({ reason: 'Conflict', httpStatus: 409, message: 'it is Conflict' });
  });

  it('creates a Status for any other error response', async () => {
    const { client } = scripted(() => ({ status: 502, headers: {}, body: Buffer.from('<html>bad gateway</html>') }));
    const error = await client
      .resource(ConfigMapKind)
      .get(key)
      .catch((caught) => caught);
    expect(error).toMatchObject({ httpStatus: 502, reason: '' });
    expect(error.message).toContain('bad gateway');
  });

  it('reports a response that is not JSON', async () => {
    const { client } = scripted(() => ({
      status: 200,
      headers: { 'content-type': 'text/html' },
      body: Buffer.from('<p>'),
    }));
    await expect(client.resource(ConfigMapKind).get(key)).rejects.toMatchObject({ code: 'KW2006' });
  });
});

describe('KubernetesClient retries', () => {
  it('waits for Retry-After, then retries', async () => {
    let calls = 0;
    const { client, clock } = scripted(() =>
      ++calls < 3 ? json(failure(429, 'TooManyRequests'), 429, { 'retry-after': '2' }) : json(configMap('web')),
    );
    const created = client.resource(ConfigMapKind).create(configMap('web'));
    await clock.advance(1_999);
    expect(calls).toBe(1);
    await clock.advance(1);
    expect(calls).toBe(2);
    await clock.advance(2_000);
    expect((await created).metadata.name).toBe('web');
  });

  it('stops after the maximum number of retries', async () => {
    const { client, clock, seen } = scripted(
      () => json(failure(503, 'ServiceUnavailable'), 503, { 'retry-after': '1' }),
      { retry: { maxRetryAfter: 3 } },
    );
    const failed = client
      .resource(ConfigMapKind)
      .get(key)
      .catch((error) => error);
    await clock.advance(60_000);
    expect(await failed).toMatchObject({ httpStatus: 503, retryAfterSeconds: 1 });
    expect(seen).toHaveLength(4);
  });

  it('does not wait longer than allowed, and does not retry without Retry-After', async () => {
    const { client, seen } = scripted(({ path }) =>
      path.endsWith('/long')
        ? json(failure(429, 'TooManyRequests'), 429, { 'retry-after': '3600' })
        : json(failure(429, 'TooManyRequests'), 429),
    );
    await expect(client.resource(ConfigMapKind).get({ name: 'long' })).rejects.toMatchObject({
      retryAfterSeconds: 3600,
    });
    await expect(client.resource(ConfigMapKind).get(key)).rejects.toMatchObject({ httpStatus: 429 });
    expect(seen).toHaveLength(2);
  });

  it('ends the wait when the signal is aborted', async () => {
    const abort = new AbortController();
    const { client, clock } = scripted(() => json(failure(429, 'TooManyRequests'), 429, { 'retry-after': '5' }));
    const failed = expect(client.resource(ConfigMapKind).get(key, { signal: abort.signal })).rejects.toThrow('enough');
    await clock.advance(1_000);
    abort.abort(new Error('enough'));
    await failed;
    expect(clock.pendingTimers).toBe(0);
  });

  for (const [verb, sent, tries] of [
    ['get', true, 3],
    ['get', false, 3],
    ['create', true, 1],
    ['create', false, 3],
    ['delete', true, 1],
  ] as const) {
    it(`sends a ${verb} ${tries} times when the connection was lost and ${sent ? 'it may have arrived' : 'nothing was sent'}`, async () => {
      const { client, clock, seen } = scripted(() => {
        throw new TransportError('KW2003', { what: 'lost' }, { retryable: true, sent });
      });
      const maps = client.resource(ConfigMapKind);
      const call =
        verb === 'create' ? maps.create(configMap('web')) : verb === 'get' ? maps.get(key) : maps.delete(key);
      const failed = expect(call).rejects.toThrow('lost');
      await clock.advance(10_000);
      await failed;
      expect(seen).toHaveLength(tries);
    });
  }
});

describe('KubernetesClient interceptors, limits and warnings', () => {
  it('wraps each attempt, with the first interceptor outermost', async () => {
    const log: string[] = [];
    let calls = 0;
    const named = (name: string) => async (call: never, next: (call: never) => Promise<never>) => {
      const { verb, attempt, target } = call as { verb: string; attempt: number; target: { resource: string } };
      log.push(`${name} ${verb} ${target.resource} ${attempt}`);
      return next(call);
    };
    const { client, clock, seen } = scripted(
      () => (++calls < 2 ? json(failure(503, 'x'), 503, { 'retry-after': '1' }) : json(configMap('web'))),
      {
        interceptors: [
          named('outer') as never,
          named('inner') as never,
          (call, next) =>
            next({
              ...call,
              request: { ...call.request, headers: { ...call.request.headers, 'impersonate-user': 'jane' } },
            }),
        ],
      },
    );
    const got = client.resource(ConfigMapKind).get(key);
    await clock.advance(1_000);
    await got;
    expect(log).toEqual([
      'outer get configmaps 1',
      'inner get configmaps 1',
      'outer get configmaps 2',
      'inner get configmaps 2',
    ]);
    expect(seen[1]?.headers['impersonate-user']).toBe('jane');
  });

  it('lets an interceptor respond and throw instead of the server', async () => {
    const { client, seen } = scripted(() => json(configMap('web')), {
      interceptors: [
        async () => {
          throw new StatusError(failure(500, 'InternalError') as never);
        },
      ],
    });
    await expect(client.resource(ConfigMapKind).get(key)).rejects.toMatchObject({ httpStatus: 500 });
    expect(seen).toEqual([]);
  });

  it('delays requests in order after a burst', async () => {
    const { client, clock, seen } = scripted(() => json(configMap('web')), { rateLimit: { qps: 10, burst: 3 } });
    const all = Promise.all(Array.from({ length: 6 }, (_, i) => client.resource(ConfigMapKind).get({ name: `n${i}` })));
    await clock.advance(0);
    expect(seen).toHaveLength(3);
    await clock.advance(100);
    expect(seen).toHaveLength(4);
    await clock.advance(200);
    await all;
    expect(seen.map(({ path }) => path.at(-1))).toEqual(['0', '1', '2', '3', '4', '5']);
  });

  it('reports each warning once', async () => {
    const warnings: string[] = [];
    const header = '299 - "v1beta1 is \\"old\\", use v1", 299 k "second" , 199 - "not ours"';
    const { client } = scripted(() => json(configMap('web'), 200, { warning: header }), {
      onWarning: (warning, call) => warnings.push(`${call.verb}: ${warning.text}`),
    });
    await client.resource(ConfigMapKind).get(key);
    await client.resource(ConfigMapKind).get(key);
    expect(warnings).toEqual(['get: v1beta1 is "old", use v1', 'get: second']);
  });
});
