import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestServer } from '../testdata/test-server.ts';
import { type HealthCheck, healthHandler } from './health-handler.ts';
import { versionHandler } from './version-handler.ts';

describe('health', () => {
  let storage: string | undefined;
  let server: TestServer;
  const checks: readonly HealthCheck[] = [
    { name: 'ping', check: () => undefined },
    { name: 'etcd', check: async () => storage },
    { name: 'poststarthook/a/b', for: 'livez', check: () => undefined },
    {
      name: 'informer-sync',
      for: 'readyz',
      check: () => {
        if (storage === 'down') throw new Error('secret');
        return undefined;
      },
    },
  ];
  beforeEach(() => {
    storage = undefined;
    server = new TestServer({ nonResourceHandlers: [healthHandler({ checks }), versionHandler()] });
  });
  afterEach(() => server[Symbol.asyncDispose]());

  it.each([
    '/livez',
    '/readyz',
    '/healthz',
    '/livez/ping',
    '/readyz/informer-sync',
    '/livez/',
    '/livez/poststarthook/a/b',
  ])('responds to %s with ok', async (path) => {
    expect(await server.get(path)).toMatchObject({ status: 200, text: 'ok' });
  });

  it('lists the checks in order', async () => {
    expect((await server.get('/livez?verbose')).text).toBe(
      '[+]ping ok\n[+]etcd ok\n[+]poststarthook/a/b ok\nlivez check passed\n',
    );
    expect((await server.get('/healthz?verbose')).text).toBe(
      '[+]ping ok\n[+]etcd ok\n[+]poststarthook/a/b ok\nhealthz check passed\n',
    );
    expect((await server.get('/readyz?verbose')).text).toBe(
      '[+]ping ok\n[+]etcd ok\n[+]informer-sync ok\nreadyz check passed\n',
    );
  });

  it('reports which check fails, but not why', async () => {
    storage = 'down';
    expect(await server.get('/readyz')).toMatchObject({
      status: 500,
      text: '[+]ping ok\n[-]etcd failed: reason withheld\n[-]informer-sync failed: reason withheld\nreadyz check failed\n',
    });
    expect((await server.get('/readyz/etcd')).status).toBe(500);
    expect((await server.get('/livez/ping')).status).toBe(200);
  });

  it('excludes checks on request', async () => {
    storage = 'down';
    const { status, text } = await server.get('/livez?verbose&exclude=etcd&exclude=foo');
    expect(status).toBe(200);
    expect(text).toBe(
      '[+]ping ok\n[+]etcd excluded: ok\n[+]poststarthook/a/b ok\nwarn: some health checks cannot be excluded: no matches for "foo"\nlivez check passed\n',
    );
  });

  it('rejects unknown checks and other methods', async () => {
    expect((await server.get('/livez/nope')).status).toBe(404);
    expect((await server.get('/livez/poststarthook')).status).toBe(404);
    expect((await server.get('/healthz/informer-sync')).status).toBe(404);
    expect((await server.get('/livez/informer-sync')).status).toBe(404);
    expect((await server.post('/livez', {})).status).toBe(405);
  });

  it('reports a version with comparable numbers', async () => {
    const { json } = await server.get('/version');
    expect(json).toMatchObject({ major: '1', minor: '36' });
    expect(json.gitVersion).toMatch(/^v1\.36\.3\+/);
    expect((await server.post('/version', {})).json).toMatchObject({
      code: 405,
      message: 'the server does not allow this method on the requested resource',
    });
  });
});
